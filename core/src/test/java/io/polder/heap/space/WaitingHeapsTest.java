package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.polder.Await;
import io.polder.arena.Seed;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLongArray;

/** Nobody who allocates waits for ever: not inside other heaps, and not with locks of a program. */
class WaitingHeapsTest extends HeapFixture {
    private static final long LIMIT = 16 * MIB;

    private static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private RelocatingHeap tight(HeapVariant variant) {
        return heap(pages(LIMIT), variant.settings().withReserve(true));
    }

    /** Fills a heap, and makes garbage that only a compaction gives back. */
    private static List<Long> fill(RelocatingHeap heap, long bytes) {
        List<Long> live = new ArrayList<>();
        int number = 0;
        for (long handle = heap.tryAllocate(bytes); handle != 0; handle = heap.tryAllocate(bytes)) {
            live.add(handle);
            number++;
        }
        assertThat(number).isPositive();
        List<Long> kept = new ArrayList<>();
        for (int i = 0; i < live.size(); i++) {
            if (i % 3 == 0) {
                heap.free(live.get(i));
            } else {
                kept.add(live.get(i));
            }
        }
        return kept;
    }

    /** Who is refused goes on; so a reader of the other heap gets its turn. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void copiesBetweenFullHeaps_inFunctions_goOn(boolean virtual) {
        RelocatingHeap one = tight(HeapVariant.USUAL);
        RelocatingHeap other = tight(HeapVariant.USUAL);
        List<Long> ofOne = fill(one, 1000);
        List<Long> ofOther = fill(other, 1000);
        AtomicLongArray turns = new AtomicLongArray(2);
        try (Workers workers = virtual ? Workers.virtual() : Workers.platform()) {
            workers.begin(() -> copy(one, ofOne, other, turns, 0));
            workers.begin(() -> copy(other, ofOther, one, turns, 1));
            workers.joinAllBut(0);
        }
        assertThat(turns.get(0)).isEqualTo(TURNS);
        assertThat(turns.get(1)).isEqualTo(TURNS);
    }

    private static final int TURNS = 3000;

    private static void copy(
            RelocatingHeap from,
            List<Long> handles,
            RelocatingHeap to,
            AtomicLongArray turns,
            int me) {
        Deque<Long> copies = new ArrayDeque<>();
        for (int i = 0; i < TURNS; i++) {
            long copy = from.read(handles.get(i % handles.size()), to::tryAllocate);
            if (copy != 0) {
                copies.add(copy);
            }
            while (copies.size() > 2000 || (copy == 0 && !copies.isEmpty())) {
                to.free(copies.poll());
                copy = 1;
            }
            turns.set(me, i + 1L);
        }
    }

    /** The reader wants a lock that the thread holds which waits for readers. */
    @Test
    void allocateWithALockThatAReaderWants_isRefusedAndGoesOn() {
        RelocatingHeap heap = tight(HeapVariant.USUAL);
        List<Long> kept = fill(heap, 1000);
        Object lock = new Object();
        CountDownLatch reads = new CountDownLatch(1);
        long handle;
        try (Workers workers = Workers.platform()) {
            synchronized (lock) {
                Thread reader =
                        workers.begin(() -> readLocking(heap, kept.getFirst(), lock, reads));
                Await.open(reads);
                Await.until(() -> reader.getState() == Thread.State.BLOCKED);
                do {
                    handle = heap.tryAllocate(1000);
                } while (handle != 0);
                assertThatExceptionOfType(OutOfMemoryError.class)
                        .isThrownBy(() -> heap.allocate(1000))
                        .withMessageContaining(
                                "compaction waits for a reader: thread=" + reader.getName());
            }
            workers.joinAllBut(0);
        }
        handle = heap.allocate(1000);
        assertThat(heap.isLive(handle)).as("there is room when the reader has left").isTrue();
    }

    private static void readLocking(
            RelocatingHeap heap, long handle, Object lock, CountDownLatch reads) {
        heap.read(
                handle,
                _ -> {
                    reads.countDown();
                    synchronized (lock) {
                        return 0;
                    }
                });
    }

    /** Who is outside has waited for longer, and gets the room when who is inside has gone on. */
    @Test
    void allocateInsideAnotherHeap_isRefusedBeforeThoseOutside() {
        RelocatingHeap heap = tight(HeapVariant.USUAL);
        RelocatingHeap other = tight(HeapVariant.USUAL);
        List<Long> kept = fill(heap, 1000);
        long there = other.allocate(8);
        CountDownLatch reads = new CountDownLatch(1);
        CountDownLatch refused = new CountDownLatch(1);
        try (Workers workers = Workers.platform()) {
            workers.begin(
                    () -> {
                        boolean _ = heap.read(kept.getFirst(), _ -> readUntil(reads, refused));
                    });
            Await.open(reads);
            long handle;
            do {
                handle = heap.tryAllocate(1000);
            } while (handle != 0);
            Thread outside = workers.begin(() -> heap.allocate(1000));
            Await.until(() -> outside.getState() == Thread.State.TIMED_WAITING);
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> other.read(there, _ -> heap.allocate(1000)));
            refused.countDown();
            workers.joinAllBut(0);
        }
    }

    /** Also who waits for less than others says what for. */
    @Test
    void refusedInsideAnotherHeap_namesTheReader() {
        RelocatingHeap heap = tight(HeapVariant.USUAL);
        RelocatingHeap other = tight(HeapVariant.USUAL);
        List<Long> kept = fill(heap, 1000);
        long there = other.allocate(8);
        CountDownLatch reads = new CountDownLatch(1);
        CountDownLatch refused = new CountDownLatch(1);
        try (Workers workers = Workers.platform()) {
            Thread reader =
                    workers.begin(
                            () -> {
                                boolean _ =
                                        heap.read(kept.getFirst(), _ -> readUntil(reads, refused));
                            });
            Await.open(reads);
            Throwable full = catchThrowable(() -> other.read(there, _ -> fillUp(heap)));
            refused.countDown();
            workers.joinAllBut(0);
            assertThat(full)
                    .isInstanceOf(OutOfMemoryError.class)
                    .hasMessageContaining(
                            "compaction waits for a reader: thread=" + reader.getName());
        }
    }

    private static long fillUp(RelocatingHeap heap) {
        while (true) {
            long _ = heap.allocate(1000);
        }
    }

    private static boolean readUntil(CountDownLatch reads, CountDownLatch end) {
        reads.countDown();
        Await.open(end);
        return true;
    }

    /** They wait for readers as long as those take, who may wait for this thread. */
    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void compactAndClose_insideAnotherHeap_areRefused(HeapVariant variant) {
        RelocatingHeap heap = heap(variant, 64 * MIB);
        RelocatingHeap other = heap(variant, 64 * MIB);
        long handle = heap.allocate(8);
        long there = other.allocate(8);
        for (Runnable wait : List.<Runnable>of(other::compact, other::close)) {
            heap.read(handle, _ -> refused(wait));
            heap.update(handle, _ -> refused(wait));
            heap.read(handle, _ -> other.read(there, _ -> refused(wait)));
        }
        heap.forEach(_ -> other.compact());
        other.close();
        assertThat(heap.isLive(handle)).isTrue();
    }

    private static boolean refused(Runnable wait) {
        assertThatIllegalStateException()
                .isThrownBy(wait::run)
                .withMessageContaining(
                        "must not be called by a function that reads or updates an object,"
                                + " of this heap or another");
        return true;
    }

    @Test
    void interruptedWhileRoomIsMade_isInterruptedAfterwards() {
        RelocatingHeap heap = tight(HeapVariant.USUAL);
        List<Long> kept = fill(heap, 1000);
        for (int i = 0; i < kept.size(); i += 2) {
            heap.free(kept.get(i));
        }
        Thread.currentThread().interrupt();
        long cycles = heap.stats().cycles();
        while (heap.stats().cycles() == cycles) {
            assertThat(heap.allocate(1000)).isNotZero();
        }
        assertThat(Thread.interrupted()).isTrue();
    }

    /** Functions that read and update objects of several heaps, nested, some of which throw. */
    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void nestedAtRandom_allEnd(HeapVariant variant) {
        long seed = Seed.get();
        Seed.naming(seed, () -> nestAtRandom(variant, new SplittableRandom(seed)));
    }

    private void nestAtRandom(HeapVariant variant, SplittableRandom random) {
        List<RelocatingHeap> heaps = new ArrayList<>();
        List<List<Long>> objects = new ArrayList<>();
        int count = 2 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            heaps.add(tight(variant));
            objects.add(fill(heaps.get(i), 200 + random.nextInt(5000)));
        }
        try (Workers workers = random.nextBoolean() ? Workers.platform() : Workers.virtual()) {
            for (int t = 0; t < 3; t++) {
                SplittableRandom own = random.split();
                workers.begin(
                        () -> {
                            Deque<Runnable> frees = new ArrayDeque<>();
                            for (int i = 0; i < 300; i++) {
                                try {
                                    nest(heaps, objects, frees, own, own.nextInt(4));
                                } catch (Failure expected) {
                                    assertThat(expected.getSuppressed()).isEmpty();
                                }
                                while (frees.size() > 1000) {
                                    frees.poll().run();
                                }
                            }
                            frees.forEach(Runnable::run);
                        });
            }
            workers.joinAllBut(0);
        }
        for (int i = 0; i < count; i++) {
            HeapCheck.verifyAtRest(space(heaps.get(i)));
            assertThat(heaps.get(i).stats().liveObjects()).isEqualTo(objects.get(i).size());
            assertThat(heaps.get(i).stats().longestInsideThread()).isNull();
        }
    }

    private static int nest(
            List<RelocatingHeap> heaps,
            List<List<Long>> objects,
            Deque<Runnable> frees,
            SplittableRandom random,
            int depth) {
        int at = random.nextInt(heaps.size());
        RelocatingHeap heap = heaps.get(at);
        List<Long> handles = objects.get(at);
        long handle = handles.get(random.nextInt(handles.size()));
        if (depth == 0) {
            int other = random.nextInt(heaps.size());
            long made = heaps.get(other).tryAllocate(100 + random.nextInt(3000));
            if (made != 0) {
                frees.add(() -> heaps.get(other).free(made));
            } else {
                frees.forEach(Runnable::run);
                frees.clear();
            }
        } else if (random.nextBoolean()) {
            return heap.read(handle, _ -> nest(heaps, objects, frees, random, depth - 1));
        } else {
            heap.update(handle, bytes -> change(heaps, objects, frees, random, depth, bytes));
        }
        if (random.nextInt(20) == 0) {
            throw new Failure();
        }
        return depth;
    }

    private static void change(
            List<RelocatingHeap> heaps,
            List<List<Long>> objects,
            Deque<Runnable> frees,
            SplittableRandom random,
            int depth,
            MemorySegment bytes) {
        bytes.fill((byte) depth);
        int _ = nest(heaps, objects, frees, random, depth - 1);
    }
}
