package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.arena.TestScale;
import io.polder.heap.RelocatingHeap;
import io.polder.heap.space.RandomObjects.Operation;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/** Random operations against a model, with objects moved all the time. */
class RandomHeapTest extends HeapFixture {
    private static final int OPERATIONS = TestScale.of(1000, 2000);
    private static final int THREADS = 3;
    private static final int OPERATIONS_OF_EACH = 1000;

    /** For the heap that is full now and then: room for what lives, and some for its copies. */
    private static final long TIGHT_BYTES = 48 * MIB;

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#all")
    void oneThread_random_agreesWithTheModel(HeapVariant variant) {
        random(variant, 1024 * MIB, new Load(1, OPERATIONS, 24 * MIB, false));
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#all")
    void threads_random_agreeWithTheirModels(HeapVariant variant) {
        random(variant, 1024 * MIB, new Load(THREADS, OPERATIONS_OF_EACH, 10 * MIB, false));
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void fullHeap_random_agreesWithTheModel(HeapVariant variant) {
        random(variant, TIGHT_BYTES, new Load(THREADS, OPERATIONS_OF_EACH, TIGHT_BYTES, true));
    }

    /** What is done by each of some threads, how much of it lives, and whether some is refused. */
    private record Load(int threads, int operations, long liveMaxBytes, boolean full) {}

    private void random(HeapVariant variant, long heapBytes, Load load) {
        long seed = Seed.get();
        RelocatingHeap heap = heap(variant, heapBytes);
        Seed.naming(
                seed,
                () -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    List<RandomObjects> all = new ArrayList<>();
                    for (int i = 0; i < load.threads; i++) {
                        all.add(newObjects(heap, random.split(), load));
                    }
                    run(heap, variant, all, load);
                    int refused = 0;
                    for (RandomObjects objects : all) {
                        assertMix(objects);
                        refused += objects.mix().getOrDefault(Operation.REFUSED, 0);
                    }
                    assertThat(refused > 0).as("refused=%d", refused).isEqualTo(load.full);
                });
    }

    private RandomObjects newObjects(RelocatingHeap heap, SplittableRandom random, Load load) {
        // Grows by three in ten operations, so is cut by half a few times.
        return new RandomObjects(
                heap, space(heap), random, load.operations / 10, load.liveMaxBytes, load.full);
    }

    /** Runs so many operations of each, and more until enough was moved, and some refused. */
    private void run(RelocatingHeap heap, HeapVariant variant, List<RandomObjects> all, Load load) {
        int operations = load.operations;
        AtomicBoolean refused = new AtomicBoolean(!load.full);
        try (Workers workers = Workers.platform()) {
            workers.repeat(heap::compact);
            for (RandomObjects objects : all) {
                workers.begin(
                        () -> {
                            for (int i = 0;
                                    i < operations || !enough(heap, variant) || !refused.get();
                                    i++) {
                                objects.step();
                                if (objects.mix().containsKey(Operation.REFUSED)) {
                                    refused.set(true);
                                }
                                assertThat(i).as("%s", heap.stats()).isLessThan(20 * operations);
                                if (!workers.goesOn()) {
                                    return;
                                }
                            }
                        });
            }
            workers.joinAllBut(1);
        }
        HeapCheck.verify(space(heap));
        assertThat(HeapCheck.statsAtRest(space(heap)).liveObjects())
                .isEqualTo(all.stream().mapToInt(RandomObjects::objects).sum());
        assertThat(HeapCheck.statsAtRest(space(heap)).liveBytes())
                .isGreaterThanOrEqualTo(all.stream().mapToLong(RandomObjects::liveBytes).sum());
        all.forEach(RandomObjects::end);
        HeapCheck.verify(space(heap));
        assertThat(HeapCheck.statsAtRest(space(heap)).liveObjects()).isZero();
        assertThat(HeapCheck.statsAtRest(space(heap)).liveBytes()).isZero();
    }

    private static boolean enough(RelocatingHeap heap, HeapVariant variant) {
        HeapFigures statistics = space(heap).stats();
        return statistics.cycles() > 20
                && HeapCheck.counts(space(heap)).evacuatedObjects() > variant.moved(300)
                && (variant.failEvery() == 0 || statistics.outOfMemoryCycles() > 10);
    }

    private static void assertMix(RandomObjects objects) {
        Set<Operation> usual =
                EnumSet.complementOf(
                        EnumSet.of(Operation.REFUSED, Operation.FREE_LARGEST, Operation.FREE_MANY));
        for (Operation operation : usual) {
            assertThat(objects.mix().getOrDefault(operation, 0)).as("%s", operation).isPositive();
        }
    }
}
