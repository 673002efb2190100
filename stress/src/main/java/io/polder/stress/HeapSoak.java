package io.polder.stress;

import io.polder.MemoryPool;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;
import io.polder.heap.StaleHandleException;
import io.polder.stress.everywhere.Paint;
import io.polder.stress.everywhere.Require;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Eight threads that share two full heaps: each makes objects of 1 B to 8 MiB, changes them, passes
 * them on and frees them, in functions that throw, block, and use the other heap. Every byte is
 * looked at, and in the end nothing is left.
 *
 * <pre>{@code
 *   round: new threads, until each has done so much and freed what it has
 *   after it: nothing lives, compact(), no region is left
 * }</pre>
 *
 * <p>One heap has a limit of its own, the other that of its pool.
 *
 * <p>Exit code 0 if all is well, 1 if not, 2 for arguments that are none.
 */
public final class HeapSoak {
    private static final int THREADS = 8;
    private static final int ROUNDS = 8;
    private static final long LIMIT_BYTES = 96L << 20;

    /** Objects of a thread: with all threads, more than the heaps have room for. */
    private static final int LIVE = 600;

    /** Places in which objects are left for other threads. */
    private static final int PLACES = 64;

    /** Of so many objects, one has up to 8 MiB; of the others, so many one has up to 64 KiB. */
    private static final int LARGE_OF = 100;

    private static final int MIDDLE_OF = 20;

    /** Of so many reads, one blocks. */
    private static final int BLOCKS_OF = 500;

    private static final long BLOCKED_NANOS = 20_000_000;
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private final MemoryPool unlimited =
            MemoryPool.builder().name("heap-soak").logExhaustion(false).build();
    private final MemoryPool limited =
            MemoryPool.builder()
                    .name("heap-soak-limited")
                    .committedMaxBytes(LIMIT_BYTES)
                    .logExhaustion(false)
                    .build();
    private final List<RelocatingHeap> heaps =
            List.of(
                    unlimited.openHeap(HeapOptions.DEFAULT.withMaxBytes(LIMIT_BYTES)),
                    limited.openHeap(HeapOptions.DEFAULT));
    private final AtomicReferenceArray<Item> places = new AtomicReferenceArray<>(PLACES);
    private final LongAdder made = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder passed = new LongAdder();
    private final LongAdder thrown = new LongAdder();
    private final LongAdder nested = new LongAdder();
    private final int leakEvery;

    private HeapSoak(int leakEvery) {
        this.leakEvery = leakEvery;
    }

    /** An object, and what is in it; one thread has it. */
    private record Item(RelocatingHeap heap, long handle, long bytes, long seed) {
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
    }

    /** What a function throws. */
    private static final class Expected extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /**
     * Runs the soak.
     *
     * @param arguments any of {@code --count N}, how many operations each thread does, and {@code
     *     --leak-every N}: one object in this many is never freed, to show that it is found
     */
    public static void main(String[] arguments) throws InterruptedException {
        SoakArguments given = SoakArguments.of("HeapSoak", 1_000_000, arguments);
        System.exit(new HeapSoak(given.leakEvery()).soak(given.count()) ? 0 : 1);
    }

    private boolean soak(int count) throws InterruptedException {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        boolean empty = true;
        for (int round = 0; round < ROUNDS && empty; round++) {
            round(random, Math.max(1, count / ROUNDS));
            empty = heaps.stream().allMatch(HeapSoak::isLeftEmpty);
        }
        long moved = heaps.stream().mapToLong(heap -> heap.stats().evacuatedObjects()).sum();
        boolean varied =
                refused.sum() > 0
                        && passed.sum() > 0
                        && thrown.sum() > 0
                        && nested.sum() > 0
                        && moved > 0;
        boolean ok = empty && varied;
        System.out.printf(
                "%s: seed %d; %,d objects, %,d refused, %,d passed on, %,d moved; %,d functions"
                        + " threw, %,d used the other heap; %s%n",
                ok ? "ok" : "FAILED",
                seed,
                made.sum(),
                refused.sum(),
                passed.sum(),
                moved,
                thrown.sum(),
                nested.sum(),
                heaps.stream().map(RelocatingHeap::stats).toList());
        return ok;
    }

    private static boolean isLeftEmpty(RelocatingHeap heap) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (heap.stats().liveObjects() == 0 && System.nanoTime() < end) {
            long _ = heap.compact();
            if (heap.stats().regionBytes() == 0) {
                return true;
            }
        }
        return false;
    }

    private void round(SplittableRandom random, int count) throws InterruptedException {
        for (Thread thread : SoakThreads.start(THREADS, random, own -> run(own, count))) {
            thread.join();
        }
        for (int place = 0; place < PLACES; place++) {
            Item left = places.getAndSet(place, null);
            if (left != null) {
                free(left);
            }
        }
    }

    private void run(SplittableRandom random, int count) {
        List<Item> own = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            if (own.isEmpty() || (own.size() < LIVE && random.nextInt(5) < 3)) {
                make(random, own);
            } else {
                use(random, own);
            }
        }
        own.forEach(this::free);
    }

    private void make(SplittableRandom random, List<Item> own) {
        RelocatingHeap heap = heaps.get(random.nextInt(heaps.size()));
        long bytes = size(random);
        long handle = heap.tryAllocate(bytes);
        if (handle == 0) {
            refused.increment();
            for (int i = own.size() / 4; i > 0; i--) {
                free(own.removeLast());
            }
            return;
        }
        made.increment();
        Object _ =
                heap.read(
                        handle,
                        memory -> {
                            Paint.requireZero(memory);
                            return memory;
                        });
        own.add(painted(new Item(heap, handle, bytes, 0), random));
    }

    /** The same with other content. */
    private static Item painted(Item item, SplittableRandom random) {
        long seed = random.nextLong();
        item.heap.update(item.handle, memory -> Paint.paint(memory, seed));
        return new Item(item.heap, item.handle, item.bytes, seed);
    }

    private void use(SplittableRandom random, List<Item> own) {
        int at = random.nextInt(own.size());
        Item item = own.get(at);
        switch (random.nextInt(8)) {
            case 0, 1 -> free(remove(own, at));
            case 2 -> passOn(remove(own, at), random);
            case 3 -> own.set(at, painted(item, random));
            case 4 -> own.set(at, thrownOutOf(item, random));
            case 5 -> nest(item, own.get(random.nextInt(own.size())), random);
            default ->
                    item.read(
                            random.nextInt(BLOCKS_OF) == 0 ? HeapSoak::block : HeapSoak::doNothing);
        }
    }

    /** In a time that does not depend on how many there are. */
    private static Item remove(List<Item> own, int at) {
        Item last = own.removeLast();
        return at == own.size() ? last : own.set(at, last);
    }

    private static void block() {
        LockSupport.parkNanos(BLOCKED_NANOS);
    }

    private static void doNothing() {}

    /** A function changes half of it and throws: the object is as that left it. */
    private Item thrownOutOf(Item item, SplittableRandom random) {
        long half = item.bytes / 2;
        long seed = random.nextLong();
        try {
            item.heap.update(
                    item.handle,
                    memory -> {
                        item.check(memory);
                        Paint.paint(memory.asSlice(0, half), seed);
                        throw new Expected();
                    });
            throw new AssertionError("what a function throws comes through");
        } catch (Expected expected) {
            thrown.increment();
        }
        Object _ =
                item.heap.read(
                        item.handle,
                        memory -> {
                            Paint.requirePainted(memory.asSlice(0, half), seed);
                            return memory;
                        });
        return painted(item, random);
    }

    /** In a function that reads one object another is read, made and freed. */
    private void nest(Item outer, Item inner, SplittableRandom random) {
        long bytes = size(random);
        RelocatingHeap other = inner.heap;
        outer.read(
                () -> {
                    inner.read(HeapSoak::doNothing);
                    long handle = other.tryAllocate(bytes);
                    if (handle != 0) {
                        other.free(handle);
                        requireStale(other, handle);
                    }
                });
        nested.increment();
    }

    private static void requireStale(RelocatingHeap heap, long handle) {
        try {
            long _ = heap.size(handle);
        } catch (StaleHandleException stale) {
            return;
        }
        throw new AssertionError("what is freed is not found: handle=" + handle);
    }

    /** Leaves it to others, and frees what was left there. */
    private void passOn(Item item, SplittableRandom random) {
        Item left = places.getAndSet(random.nextInt(PLACES), item);
        if (left != null) {
            passed.increment();
            free(left);
        }
    }

    private void free(Item item) {
        item.read(HeapSoak::doNothing);
        if (leakEvery == 0 || made.sum() % leakEvery != 0) {
            item.heap.free(item.handle);
        }
    }

    private static long size(SplittableRandom random) {
        if (random.nextInt(LARGE_OF) == 0) {
            return 1 + random.nextLong(8L << 20);
        }
        return 1L + random.nextInt(random.nextInt(MIDDLE_OF) == 0 ? 64 << 10 : 1 << 10);
    }
}
