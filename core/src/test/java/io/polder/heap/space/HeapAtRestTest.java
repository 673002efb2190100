package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.api.Test;

/**
 * A heap in which nothing was allocated or freed since the last look is compacted further. The
 * decay is a day here, so nobody looks but the test.
 */
class HeapAtRestTest extends HeapFixture {
    private static final int OBJECT_BYTES = 64 << 10;
    private static final int OBJECTS = 1000;

    /** Less than a sixteenth of the objects, of which a region has some thirty. */
    private static final int DEAD = 40;

    /** Of those regions that have dead objects, so many are there for one of these. */
    private static final int EACH = 8;

    private final RelocatingHeap heap =
            heap(pages(512 * MIB), HeapSettings.of(HeapOptions.DEFAULT.withCompactionShare(1)));

    private final Compactor compactor = space(heap).compactor;

    /** It is to look later after each step in which the heap did not rest. */
    private void awaitStep() throws InterruptedException {
        while (compactor.uncommitting.isAsleep() || !compactor.task.isAsleep()) {
            Thread.sleep(1);
        }
    }

    private long deadBytes() {
        return heap.stats().filledBytes() - heap.stats().liveBytes();
    }

    @Test
    void look_littleIsDead_isCompactedOnceTheHeapRests() throws InterruptedException {
        long[] handles = objects(heap, OBJECTS, OBJECT_BYTES);
        for (int i = 0; i < DEAD; i++) {
            heap.free(handles[i * EACH]);
        }
        awaitStep();
        assertThat(heap.stats().cycles()).as("while it is used").isZero();
        assertThat(compactor.lookWhetherItRests()).as("looks again").isTrue();
        assertThat(compactor.task.isAsleep()).as("objects were freed a moment ago").isTrue();
        assertThat(compactor.lookWhetherItRests()).as("looks again").isFalse();
        while (heap.stats().cycles() == 0 || !compactor.task.isAsleep()) {
            Thread.sleep(1);
        }
        assertThat(deadBytes()).isLessThan(heap.stats().filledBytes() / 64);
        for (int i = 0; i < OBJECTS; i++) {
            if (i % EACH != 0 || i >= DEAD * EACH) {
                assertThat(wordOf(heap, handles[i])).isEqualTo(i);
            }
        }
    }

    /** As in a full cache of values of one size: what dies there is soon joined by more. */
    @Test
    void look_asMuchWasAllocatedAsFreed_doesNotRest() throws InterruptedException {
        long[] handles = objects(heap, OBJECTS, OBJECT_BYTES);
        for (int i = 0; i < DEAD; i++) {
            heap.free(handles[i * EACH]);
        }
        awaitStep();
        assertThat(compactor.lookWhetherItRests()).as("looks again").isTrue();
        long used = heap.allocate(OBJECT_BYTES);
        heap.free(handles[1]);
        assertThat(compactor.lookWhetherItRests()).as("looks again").isTrue();
        heap.free(used);
    }

    /** The page of what was freed goes back, and what comes is as much as was there before. */
    @Test
    void look_asMuchCameAsWentWithItsPage_doesNotRest() throws InterruptedException {
        long[] handles = objects(heap, OBJECTS, OBJECT_BYTES);
        int each = (int) (RegionType.SMALL.bytes / OBJECT_BYTES) - 1; // headers
        for (int round = 0; round < 2; round++) {
            long bytes = heap.stats().regionBytes();
            for (int i = 0; i < each; i++) {
                heap.free(handles[round * each + i]);
            }
            while (heap.stats().regionBytes() == bytes) {
                Thread.sleep(1);
            }
            awaitStep();
            if (round > 0) {
                long[] _ = objects(heap, each, OBJECT_BYTES);
            }
            assertThat(compactor.lookWhetherItRests()).as("looks again").isTrue();
            assertThat(compactor.task.isAsleep()).as("it is used").isTrue();
        }
    }
}
