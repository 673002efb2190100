package io.polder.stress;

import io.polder.heap.RelocatingHeap;
import io.polder.memory.MemoryExhaustedException;
import io.polder.stress.everywhere.Paint;
import io.polder.stress.everywhere.Require;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * An object of a heap, and what is in it: one thread has it, and changes it by functions, numbers
 * and copies.
 */
record HeldObject(RelocatingHeap heap, long handle, long bytes, long seed) {
    /** Of what is copied to the Java heap as a whole. */
    private static final int COPIED_MAX = 64 << 10;

    /** Checks its bytes. */
    void check(MemorySegment memory) {
        Require.equal("size", memory.byteSize(), bytes);
        Paint.requirePainted(memory, seed);
    }

    /** Checks it in a function, which does something else then. */
    void read(Runnable then) {
        boolean read =
                heap.read(
                        handle,
                        memory -> {
                            check(memory);
                            then.run();
                            check(memory);
                            return true;
                        });
        Require.that(read, "a read returns what its function did");
    }

    /** The same with other content. */
    HeldObject painted(SplittableRandom random) {
        long other = random.nextLong();
        long size =
                heap.compute(
                        handle,
                        memory -> {
                            Paint.paint(memory, other);
                            return memory.byteSize();
                        });
        Require.equal("size in a function", size, bytes);
        return new HeldObject(heap, handle, bytes, other);
    }

    /** Changes a number in it, in each of the ways, and makes it what it was. */
    void changeNumbers(SplittableRandom random) {
        long last = bytes - 1;
        byte same = heap.getByte(handle, last);
        heap.setByte(handle, last, (byte) ~same);
        Require.equal("byte", heap.getByte(handle, last), (byte) ~same);
        heap.setByte(handle, last, same);
        if (bytes < Long.BYTES) {
            return;
        }
        long at = random.nextLong(bytes / Long.BYTES) * Long.BYTES;
        long delta = random.nextLong();
        long before = heap.getLong(handle, at);
        Require.equal("before it was added to", heap.getAndAddLong(handle, at, delta), before);
        long sum = before + delta;
        Require.that(!heap.compareAndSetLong(handle, at, sum + 1, 0), "another is not changed");
        Require.that(heap.compareAndSetLong(handle, at, sum, ~sum), "what is there is changed");
        heap.setDouble(handle, at, 0.5);
        Require.equal("half", (long) (2 * heap.getDouble(handle, at)), 1);
        heap.setLong(handle, at, before);
        int front = heap.getAndAddInt(handle, at, 3);
        Require.that(heap.compareAndSetInt(handle, at, front + 3, front), "it was three more");
        Require.equal("as it was", heap.getLong(handle, at), before);
    }

    /** Copies, compares and hashes it, and writes a part of it once more. */
    void compare(SplittableRandom random) {
        Require.equal("size", heap.size(handle), bytes);
        if (bytes > COPIED_MAX) {
            byte[] end = new byte[COPIED_MAX];
            heap.get(handle, bytes - COPIED_MAX, MemorySegment.ofArray(end));
            heap.put(handle, bytes - COPIED_MAX, MemorySegment.ofArray(end));
            return;
        }
        byte[] copy = heap.toArray(handle);
        MemorySegment whole = MemorySegment.ofArray(copy);
        check(whole);
        long hash = heap.contentHash(handle);
        Require.equal("hash", hash, RelocatingHeap.contentHash(whole));
        Require.equal("mismatch of the same", heap.mismatch(handle, whole), -1);
        int from = random.nextInt(copy.length);
        int length = random.nextInt(copy.length - from) + 1;
        byte[] part = new byte[length + 2];
        heap.get(handle, from, part, 1, length);
        heap.put(handle, from, part, 1, length);
        Require.equal("written once more", heap.mismatch(handle, whole), -1);
        copy[from] = (byte) ~copy[from];
        Require.equal("mismatch", heap.mismatch(handle, whole), from);
    }

    /**
     * The same with another size, and other content; as it was if the heap refuses that.
     *
     * @param size from 1 up
     */
    HeldObject resized(long size, SplittableRandom random) {
        try {
            heap.resize(handle, size);
        } catch (OutOfMemoryError refused) {
            requireOfHeap(refused);
            read(() -> {});
            return this;
        }
        long kept = Math.min(bytes, size);
        boolean read =
                heap.read(
                        handle,
                        memory -> {
                            Require.equal("new size", memory.byteSize(), size);
                            Paint.requirePainted(memory.asSlice(0, kept), seed);
                            Paint.requireZero(memory.asSlice(kept));
                            return true;
                        });
        Require.that(read, "a read returns what its function did");
        return new HeldObject(heap, handle, size, seed).painted(random);
    }

    /** Passes an error on that is not a heap's or a pool's, but the JVM's. */
    static void requireOfHeap(OutOfMemoryError error) {
        if (!(error.getCause() instanceof MemoryExhaustedException)) {
            throw error;
        }
    }
}
