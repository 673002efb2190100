package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicLong;

/** Objects that are changed all the time do not hold the regions they are in. */
class HotObjectsTest extends HeapFixture {
    private static final int BYTES = 2000;

    /** More of them than fit into a region, so that each hot object has one of its own. */
    private static final int KEEP = 1100;

    private static final int HOT = 20;
    private static final int ROUNDS_MAX = 100;

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void hotObjectInEachRegion_regionsAreGivenBack(HeapVariant variant) {
        RelocatingHeap heap = heap(variant, 256 * MIB);
        long[] handles = objects(heap, HOT * KEEP, BYTES);
        thin(heap, handles, KEEP);
        AtomicLong[] updates = {new AtomicLong(), new AtomicLong()};
        try (Workers workers = Workers.platform()) {
            for (int updater = 0; updater < updates.length; updater++) {
                int mine = updater;
                workers.repeat(
                        () -> {
                            updateAll(heap, handles, mine);
                            updates[mine].incrementAndGet();
                        });
            }
            while (workers.goesOn() && (updates[0].get() == 0 || updates[1].get() == 0)) {
                Thread.onSpinWait();
            }
            int rounds = 0;
            while (workers.goesOn()
                    && HeapCheck.counts(space(heap)).regions() > 3
                    && rounds < ROUNDS_MAX) {
                heap.compact();
                rounds++;
            }
            assertThat(HeapCheck.counts(space(heap)).regions())
                    .as("after %d rounds", rounds)
                    .isLessThan(4);
        }
        for (int hot = 0; hot < handles.length; hot += KEEP) {
            assertThat(wordOf(heap, handles[hot])).isEqualTo(hot);
            for (int updater = 0; updater < updates.length; updater++) {
                assertThat(count(heap, handles[hot], updater)).isEqualTo(updates[updater].get());
            }
        }
    }

    /** Counts in a word of its own in each hot object, as an update of its own. */
    private static void updateAll(RelocatingHeap heap, long[] handles, int updater) {
        long at = offset(updater);
        for (int hot = 0; hot < handles.length; hot += KEEP) {
            heap.update(
                    handles[hot],
                    bytes ->
                            bytes.set(
                                    ValueLayout.JAVA_LONG,
                                    at,
                                    bytes.get(ValueLayout.JAVA_LONG, at) + 1));
        }
    }

    private static long count(RelocatingHeap heap, long handle, int updater) {
        return heap.read(handle, bytes -> bytes.get(ValueLayout.JAVA_LONG, offset(updater)));
    }

    private static long offset(int updater) {
        return (1L + updater) * Long.BYTES;
    }
}
