package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;
import io.polder.memory.Exhaustion;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** A thread waits for room in a full heap, and others take what came back meanwhile. */
class RoomTakenByOthersTest extends HeapFixture {
    private static final long LIMIT = 32 * MIB;

    /** For which an object has a page of its own. */
    private static final long BYTES = MEDIUM_MAX + KIB;

    private final List<Long> handles = new ArrayList<>();
    private Runnable others = () -> {};

    private RelocatingHeap heapWithOthers() {
        HeapOptions options = HeapOptions.DEFAULT.withCompactionShare(0);
        Exhaustion exhaustion =
                new Exhaustion() {
                    @Override
                    public boolean makeRoom() {
                        Runnable now = others;
                        others = () -> {};
                        now.run();
                        return false;
                    }
                };
        return heap(pages(LIMIT), HeapVariant.USUAL.settings(options), exhaustion);
    }

    private void fill(RelocatingHeap heap) {
        for (long next = heap.tryAllocate(BYTES); next != 0; next = heap.tryAllocate(BYTES)) {
            handles.add(next);
        }
        assertThat(handles).isNotEmpty();
    }

    private void freeAll(RelocatingHeap heap) {
        handles.forEach(heap::free);
        handles.clear();
    }

    /** What the others made there is dead, and no compaction has looked at it. */
    @Test
    void takenAndDead_isWaitedForAgain() {
        RelocatingHeap heap = heapWithOthers();
        fill(heap);
        others =
                () -> {
                    freeAll(heap);
                    assertThat(heap.compact()).isPositive();
                    fill(heap);
                    freeAll(heap);
                };
        handles.add(heap.allocate(BYTES));
        assertThat(heap.size(handles.getLast())).isEqualTo(BYTES);
    }

    @Test
    void takenAndAlive_isRefused() {
        RelocatingHeap heap = heapWithOthers();
        fill(heap);
        others =
                () -> {
                    freeAll(heap);
                    assertThat(heap.compact()).isPositive();
                    fill(heap);
                };
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> heap.allocate(BYTES));
    }
}
