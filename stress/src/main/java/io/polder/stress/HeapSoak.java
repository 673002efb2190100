package io.polder.stress;

import io.polder.MemoryPool;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;
import io.polder.heap.StaleHandleException;
import io.polder.stress.everywhere.Paint;
import io.polder.stress.everywhere.Require;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Eight threads that share two full heaps: each makes objects of 1 B to 8 MiB, changes them, passes
 * them on and frees them, in functions that throw, block, and use the other heap, by numbers and
 * copies and in batches, and makes them larger and smaller. Every byte is looked at, and in the end
 * nothing is left.
 *
 * <pre>{@code
 *   round: new threads, until each has done its share and freed what it has
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
    private static final long LIMIT_BYTES = 64L << 20;

    /** Objects of a thread: with all threads, more than the heaps have room for. */
    private static final int LIVE = 600;

    /** Places in which objects are left for other threads. */
    private static final int PLACES = 64;

    /** Of so many objects, one has up to 8 MiB; of the others, so many one has up to 64 KiB. */
    private static final int LARGE_OF = 100;

    private static final int MIDDLE_OF = 20;

    /** Of so many reads, one blocks. */
    private static final int BLOCKS_OF = 500;

    /** Objects of a batch, at most. */
    private static final int BATCH_MAX = 200;

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
    private final AtomicReferenceArray<HeldObject> places = new AtomicReferenceArray<>(PLACES);
    private final LongAdder made = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder passed = new LongAdder();
    private final LongAdder thrown = new LongAdder();
    private final LongAdder nested = new LongAdder();
    private final LongAdder resized = new LongAdder();
    private final LongAdder batches = new LongAdder();
    private final int leakEvery;

    private HeapSoak(int leakEvery) {
        this.leakEvery = leakEvery;
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
        long moved = heaps.stream().mapToLong(heap -> heap.stats().evacuatedBytes()).sum();
        boolean varied =
                refused.sum() > 0
                        && passed.sum() > 0
                        && thrown.sum() > 0
                        && nested.sum() > 0
                        && resized.sum() > 0
                        && batches.sum() > 0
                        && moved > 0;
        boolean ok = empty && varied;
        System.out.printf(
                "%s: seed %d; %,d objects, %,d refused, %,d passed on, %,d moved; %,d functions"
                        + " threw, %,d used the other heap; %,d resized, %,d batches; %s%n",
                ok ? "ok" : "FAILED",
                seed,
                made.sum(),
                refused.sum(),
                passed.sum(),
                moved,
                thrown.sum(),
                nested.sum(),
                resized.sum(),
                batches.sum(),
                heaps.stream().map(RelocatingHeap::stats).toList());
        return ok;
    }

    /**
     * Compacts first: a cycle that began before may still copy what was freed meanwhile, and counts
     * that copy as alive until it is done.
     */
    private static boolean isLeftEmpty(RelocatingHeap heap) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        do {
            long _ = heap.compact();
            if (heap.stats().regionBytes() == 0) {
                return true;
            }
        } while (heap.stats().liveObjects() == 0 && System.nanoTime() < end);
        return false;
    }

    private void round(SplittableRandom random, int count) throws InterruptedException {
        for (Thread thread : SoakThreads.start(THREADS, random, own -> run(own, count))) {
            thread.join();
        }
        for (int place = 0; place < PLACES; place++) {
            HeldObject left = places.getAndSet(place, null);
            if (left != null) {
                free(left);
            }
        }
    }

    private void run(SplittableRandom random, int count) {
        List<HeldObject> own = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            if (own.isEmpty() || (own.size() < LIVE && random.nextInt(5) < 3)) {
                make(random, own);
            } else {
                use(random, own);
            }
        }
        own.forEach(this::free);
    }

    private void make(SplittableRandom random, List<HeldObject> own) {
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
        own.add(new HeldObject(heap, handle, bytes, 0).painted(random));
    }

    private void use(SplittableRandom random, List<HeldObject> own) {
        int at = random.nextInt(own.size());
        HeldObject item = own.get(at);
        switch (random.nextInt(12)) {
            case 0, 1 -> free(remove(own, at));
            case 2 -> passOn(remove(own, at), random);
            case 3 -> own.set(at, item.painted(random));
            case 4 -> own.set(at, thrownOutOf(item, random));
            case 5 -> item.changeNumbers(random);
            case 6 -> item.compare(random);
            case 7 -> own.set(at, resized(item, random));
            case 8 -> batch(item.heap(), random);
            case 9 -> nest(item, own.get(random.nextInt(own.size())), random);
            default ->
                    item.read(
                            random.nextInt(BLOCKS_OF) == 0 ? HeapSoak::block : HeapSoak::doNothing);
        }
    }

    /** In a time that does not depend on how many there are. */
    private static HeldObject remove(List<HeldObject> own, int at) {
        HeldObject last = own.removeLast();
        return at == own.size() ? last : own.set(at, last);
    }

    private static void block() {
        LockSupport.parkNanos(BLOCKED_NANOS);
    }

    private static void doNothing() {}

    /** A function changes half of it and throws: the object is as that left it. */
    private HeldObject thrownOutOf(HeldObject item, SplittableRandom random) {
        long half = item.bytes() / 2;
        long seed = random.nextLong();
        try {
            item.heap()
                    .update(
                            item.handle(),
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
                item.heap()
                        .read(
                                item.handle(),
                                memory -> {
                                    Paint.requirePainted(memory.asSlice(0, half), seed);
                                    return memory;
                                });
        return item.painted(random);
    }

    /** In a function that reads one object another is read, made and freed. */
    private void nest(HeldObject outer, HeldObject inner, SplittableRandom random) {
        long bytes = size(random);
        RelocatingHeap other = inner.heap();
        outer.read(
                () -> {
                    inner.read(HeapSoak::doNothing);
                    inner.changeNumbers(random);
                    long handle = other.tryAllocate(bytes);
                    if (handle != 0) {
                        other.free(handle);
                        requireStale(other, handle);
                    }
                });
        nested.increment();
    }

    private HeldObject resized(HeldObject item, SplittableRandom random) {
        HeldObject after = item.resized(size(random), random);
        if (after.bytes() != item.bytes()) {
            resized.increment();
        }
        return after;
    }

    /** Makes many, reads them at once, and frees them; one may be gone before. */
    private void batch(RelocatingHeap heap, SplittableRandom random) {
        long[] handles = new long[1 + random.nextInt(BATCH_MAX)];
        try {
            heap.allocateAll(Long.BYTES + random.nextInt(1 << 10), handles);
        } catch (OutOfMemoryError refusal) {
            HeldObject.requireOfHeap(refusal);
            Require.that(Arrays.stream(handles).allMatch(handle -> handle == 0), "all or none");
            refused.increment();
            return;
        }
        for (int i = 0; i < handles.length; i++) {
            heap.setLong(handles[i], 0, i);
        }
        long[] found = new long[handles.length];
        heap.getAll(handles, 0, Long.BYTES, MemorySegment.ofArray(found));
        for (int i = 0; i < found.length; i++) {
            Require.equal("number of an object", found[i], i);
        }
        if (random.nextBoolean()) {
            heap.freeAll(handles);
        } else {
            freeAround(random.nextInt(handles.length), heap, handles);
        }
        requireStale(heap, handles[random.nextInt(handles.length)]);
        batches.increment();
    }

    /** Frees one of them, and then all: those before it go, those after it stay, and go next. */
    private static void freeAround(int gone, RelocatingHeap heap, long[] handles) {
        heap.free(handles[gone]);
        try {
            heap.freeAll(handles);
        } catch (StaleHandleException stale) {
            heap.freeAll(Arrays.copyOfRange(handles, gone + 1, handles.length));
            return;
        }
        throw new AssertionError("what is freed is not freed again");
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
    private void passOn(HeldObject item, SplittableRandom random) {
        HeldObject left = places.getAndSet(random.nextInt(PLACES), item);
        if (left != null) {
            passed.increment();
            free(left);
        }
    }

    private void free(HeldObject item) {
        item.read(HeapSoak::doNothing);
        if (leakEvery == 0 || made.sum() % leakEvery != 0) {
            item.heap().free(item.handle());
        }
    }

    private static long size(SplittableRandom random) {
        if (random.nextInt(LARGE_OF) == 0) {
            return 1 + random.nextLong(8L << 20);
        }
        return 1L + random.nextInt(random.nextInt(MIDDLE_OF) == 0 ? 64 << 10 : 1 << 10);
    }
}
