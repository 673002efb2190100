package io.polder.cache;

import io.polder.heap.RelocatingHeap;
import io.polder.heap.StaleHandleException;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The entries of a cache, by their handles.
 *
 * <p>Small entries are copied to be looked at, which costs least; large ones are read in place.
 *
 * <p>Thread-safe. An entry is only ever freed when the index does not have it any more. So a handle
 * that is stale was replaced or removed after it was read from the index, and the thread that finds
 * that looks again.
 */
final class Entries {
    private static final StackWalker STACK =
            StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    /** Methods in which a function is given bytes of an entry. */
    private static final Set<String> LENDERS = Set.of("read", "update");

    /** What the heap needs for an object beside its bytes: a header, and a word for the handle. */
    private static final long OBJECT_BYTES = 16;

    final RelocatingHeap heap;
    final EntryLayout layout;
    private final Hash hash;

    /** Whether reads change deadlines. */
    final boolean changeWithReads;

    /** What all handles of entries have in common and lanes do not have; 0 before the first. */
    volatile long heapPart;

    /** The last index of a handle that lanes have bits for; less in tests. */
    long indexMax = BucketLayout.INDEX_MAX;

    Entries(RelocatingHeap heap, EntryLayout layout, Hash hash, boolean changeWithReads) {
        this.heap = heap;
        this.layout = layout;
        this.hash = hash;
        this.changeWithReads = changeWithReads;
    }

    /** Whether entries can be read; not those of a heap that is closed. */
    boolean isOpen() {
        try {
            boolean _ = heap.isLive(Store.NONE);
            return true;
        } catch (IllegalStateException closed) {
            return false;
        }
    }

    /** The handle of which a lane has these parts. */
    long handle(int piece, short generation) {
        return heapPart | BucketLayout.handle(piece, generation);
    }

    /**
     * Makes an entry, with a content or of zeros.
     *
     * @return its handle; {@link Store#NONE} if there is no memory for it, {@link Store#NO_LINE} if
     *     lanes have no bits for its handle
     */
    long tryAllocate(long bytes, @Nullable MemorySegment content) {
        long handle = content == null ? heap.tryAllocate(bytes) : heap.tryAllocate(content);
        if (handle == 0) {
            return Store.NONE;
        }
        if (BucketLayout.index(handle) > indexMax) {
            heap.free(handle); // there are a billion others
            return Store.NO_LINE;
        }
        if (heapPart == 0) { // threads that come at once have the same part
            heapPart = BucketLayout.heapPart(handle);
        }
        return handle;
    }

    /** What an object of this size takes. */
    static long footprint(long bytes) {
        return OBJECT_BYTES + ((bytes + 7) & -8);
    }

    /** What an entry takes that is not freed. */
    long footprintOf(long handle) {
        return footprint(heap.size(handle));
    }

    /** Has a key in hand, of which there is an entry, or its front. */
    void setKey(byte[] entry, Scratch scratch) {
        int keyBytes = layout.keyBytes(entry);
        byte[] key = scratch.sharedKey(keyBytes);
        System.arraycopy(entry, layout.keyOffset(keyBytes), key, 0, keyBytes);
        setHash(scratch);
    }

    void setHash(Scratch scratch) {
        scratch.hash = hash.of(scratch.key, scratch.keyBytes);
    }

    /**
     * Whether an entry has the key in hand; what it is else is in the scratch, too.
     *
     * @throws StaleHandleException if it was replaced or removed meanwhile
     */
    boolean matches(long handle, Scratch scratch) {
        long bytes = heap.get(handle, scratch.entrySegment);
        scratch.entryBytes = bytes;
        scratch.isCopied = bytes <= Scratch.ENTRY_BYTES;
        if (!scratch.isCopied) {
            return heap.read(handle, entry -> matches(entry, scratch));
        }
        byte[] entry = scratch.entry;
        int keyBytes = layout.keyBytes(entry);
        int offset = layout.keyOffset(keyBytes);
        scratch.deadline = layout.deadline(entry);
        scratch.valueOffset = offset + (long) keyBytes;
        return keyBytes == scratch.keyBytes
                && scratch.valueOffset <= bytes
                && layout.isKey(entry, offset, scratch.key, keyBytes);
    }

    private boolean matches(MemorySegment entry, Scratch scratch) {
        int keyBytes = layout.keyBytes(entry);
        int offset = layout.keyOffset(keyBytes);
        scratch.deadline = layout.deadline(entry);
        scratch.valueOffset = offset + (long) keyBytes;
        if (keyBytes != scratch.keyBytes) {
            return false;
        }
        return entry.asSlice(offset, keyBytes).mismatch(scratch.keySegment()) < 0;
    }

    /**
     * The hash of an entry's key.
     *
     * @throws StaleHandleException if it was replaced or removed meanwhile
     */
    long hash(long handle, Scratch scratch) {
        long bytes = heap.get(handle, scratch.entrySegment);
        if (bytes <= Scratch.ENTRY_BYTES) {
            int keyBytes = layout.keyBytes(scratch.entry);
            if (keyBytes < 0 || layout.keyOffset(keyBytes) + (long) keyBytes > bytes) {
                keyBytes = 0; // it is written right now, and in no index
            }
            byte[] key = scratch.sharedKey(keyBytes);
            System.arraycopy(scratch.entry, layout.keyOffset(keyBytes), key, 0, keyBytes);
            scratch.deadline = layout.deadline(scratch.entry);
        } else {
            heap.read(
                    handle,
                    entry -> {
                        byte[] key = layout.key(entry).toArray(ValueLayout.JAVA_BYTE);
                        scratch.setKey(key);
                        scratch.deadline = layout.deadline(entry);
                        return key;
                    });
        }
        scratch.entryBytes = bytes;
        setHash(scratch);
        return scratch.hash;
    }

    /**
     * Lets a function read an entry.
     *
     * @throws StaleHandleException if it was replaced or removed meanwhile
     */
    <R extends @Nullable Object> R read(
            long handle, Function<? super MemorySegment, ? extends R> reader) {
        return heap.read(handle, reader);
    }

    /** Lets a function write an entry that nobody else knows yet. */
    void update(long handle, Consumer<? super MemorySegment> writer) {
        heap.update(handle, writer);
    }

    /** Has an entry that nobody else knows yet expire later, by that time. */
    void delay(long handle, long nanos) {
        update(handle, entry -> layout.delay(entry, nanos));
    }

    /** Whether the running thread is in a function that is given bytes of an entry. */
    static boolean isInsideRunningThread() {
        return STACK.walk(frames -> frames.anyMatch(Entries::lends));
    }

    private static boolean lends(StackWalker.StackFrame frame) {
        return frame.getDeclaringClass() == Entries.class
                && LENDERS.contains(frame.getMethodName());
    }

    /**
     * When an entry expires, of a cache whose entries do.
     *
     * @throws StaleHandleException if it was replaced or removed meanwhile
     */
    long deadline(long handle) {
        return heap.getLong(handle, 0);
    }

    /**
     * Changes when an entry expires, if it is there still and nobody else has changed that; returns
     * whether it was so. The entry of a reader must not expire earlier then, unless it is large.
     */
    boolean changeDeadline(long handle, long was, long deadline) {
        try {
            return deadline == was || heap.compareAndSetLong(handle, 0, was, deadline);
        } catch (StaleHandleException _) {
            return false; // what is there instead has a deadline of its own
        }
    }

    /**
     * Has an entry that is in no index become another one, which expires later than any that it was
     * before, if reads change deadlines; see {@link Recycled}.
     *
     * @return whether it may be written now
     */
    boolean renew(long handle, MemorySegment content) {
        if (!changeWithReads) {
            return true;
        }
        long was = deadline(handle);
        long deadline = layout.deadline(content);
        return was < deadline && heap.compareAndSetLong(handle, 0, was, deadline);
    }

    /** An entry like the one that was found, and copied, which expires at another time. */
    MemorySegment copy(Scratch found, long deadline) {
        MemorySegment copy = found.newSegment.asSlice(0, found.entryBytes);
        MemorySegment.copy(found.entrySegment, 0, copy, 0, found.entryBytes);
        layout.setDeadline(copy, deadline);
        return copy;
    }
}
