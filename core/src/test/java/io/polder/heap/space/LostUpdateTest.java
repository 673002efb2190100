package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.arena.TestScale;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLongArray;

/** Writers that count in objects, which are moved all the time: no update is lost. */
class LostUpdateTest extends HeapFixture {
    private static final VarHandle COUNTER = ValueLayout.JAVA_LONG.varHandle();
    private static final int COUNTERS = 40;
    private static final int UPDATES = TestScale.of(5_000, 20_000);
    private static final int POPULATION = 1000;
    private static final int WRITERS = 2;

    /** How a counter is raised by one. */
    private interface Increment {
        void raise(RelocatingHeap heap, long counter, int index);
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#all")
    void atomicIncrements_evacuated_noneIsLost(HeapVariant variant) {
        count(
                variant,
                (heap, counter, _) ->
                        heap.update(
                                counter,
                                bytes -> {
                                    long _ = (long) COUNTER.getAndAdd(bytes, last(bytes), 1L);
                                }));
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#all")
    void plainIncrementsUnderALock_evacuated_noneIsLost(HeapVariant variant) {
        Object[] locks = new Object[COUNTERS];
        for (int i = 0; i < COUNTERS; i++) {
            locks[i] = new Object();
        }
        count(
                variant,
                (heap, counter, index) -> {
                    synchronized (locks[index]) {
                        heap.update(counter, LostUpdateTest::increment);
                    }
                });
    }

    private static void increment(MemorySegment bytes) {
        long at = last(bytes);
        bytes.set(ValueLayout.JAVA_LONG, at, bytes.get(ValueLayout.JAVA_LONG, at) + 1);
    }

    /** The last word: what is copied last. */
    private static long last(MemorySegment bytes) {
        return bytes.byteSize() - Long.BYTES;
    }

    private void count(HeapVariant variant, Increment increment) {
        long seed = Seed.get();
        Seed.naming(seed, () -> count(variant, increment, new SplittableRandom(seed)));
    }

    private void count(HeapVariant variant, Increment increment, SplittableRandom random)
            throws InterruptedException {
        RelocatingHeap heap = heap(variant, 256 * MIB);
        long moved = variant.moved(2 * POPULATION);
        long[] counters = new long[COUNTERS];
        for (int i = 0; i < COUNTERS; i++) {
            counters[i] = heap.allocate(size(i));
        }
        AtomicLongArray expected = new AtomicLongArray(COUNTERS);
        Churn churn = new Churn(heap, random.split(), POPULATION);
        try (Workers workers = Workers.platform()) {
            workers.repeat(churn::round);
            for (int w = 0; w < WRITERS; w++) {
                SplittableRandom mine = random.split();
                workers.repeat(
                        () -> {
                            int index = mine.nextInt(COUNTERS);
                            increment.raise(heap, counters[index], index);
                            expected.incrementAndGet(index);
                        });
            }
            while (workers.goesOn() && !enough(heap, expected, moved)) {
                Thread.sleep(1);
            }
        }
        for (int i = 0; i < COUNTERS; i++) {
            long found =
                    heap.read(counters[i], bytes -> bytes.get(ValueLayout.JAVA_LONG, last(bytes)));
            assertThat(found).as("counter %d", i).isEqualTo(expected.get(i));
            heap.free(counters[i]);
        }
        churn.end();
    }

    /** Most of 64 bytes, some of one word to half a mebibyte. */
    private static long size(int index) {
        return index % 8 == 0 ? Long.BYTES << (index / 2) : 64;
    }

    private static boolean enough(RelocatingHeap heap, AtomicLongArray counted, long moved) {
        long sum = 0;
        for (int i = 0; i < COUNTERS; i++) {
            sum += counted.get(i);
        }
        return sum > UPDATES && HeapCheck.counts(space(heap)).evacuatedObjects() > moved;
    }
}
