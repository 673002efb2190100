package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.SplittableRandom;

/** Two write and two read the same objects, which are moved all the time. */
class SharedObjectsTest extends HeapFixture {
    private static final int UPDATES = 2000;
    private static final int POPULATION = 1000;

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#all")
    void platformThreads_readNothingOlderThanWasPublished(HeapVariant variant) {
        run(variant, Workers.platform());
    }

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#all")
    void virtualThreads_readNothingOlderThanWasPublished(HeapVariant variant) {
        run(variant, Workers.virtual());
    }

    private void run(HeapVariant variant, Workers workers) {
        long seed = Seed.get();
        Seed.naming(seed, () -> run(variant, workers, new SplittableRandom(seed)));
    }

    private void run(HeapVariant variant, Workers workers, SplittableRandom random)
            throws InterruptedException {
        RelocatingHeap heap = heap(variant, 256 * MIB);
        long moved = variant.moved(POPULATION);
        SharedObjects objects = new SharedObjects(heap, random);
        Churn churn = new Churn(heap, random.split(), POPULATION);
        try (workers) {
            workers.repeat(churn::round);
            for (int i = 0; i < 2; i++) {
                SplittableRandom writing = random.split();
                SplittableRandom reading = random.split();
                workers.repeat(() -> objects.update(writing));
                workers.repeat(() -> objects.read(reading));
            }
            while (workers.goesOn() && !enough(heap, objects, moved)) {
                HeapCheck.verify(space(heap));
                Thread.sleep(1);
            }
        }
        objects.end();
        churn.end();
        assertThat(HeapCheck.statsAtRest(space(heap)).liveObjects()).isZero();
    }

    private static boolean enough(RelocatingHeap heap, SharedObjects objects, long moved) {
        return objects.updates.get() > UPDATES
                && objects.reads.get() > UPDATES
                && objects.replacements.get() > UPDATES / 100
                && HeapCheck.counts(space(heap)).evacuatedObjects() > moved;
    }
}
