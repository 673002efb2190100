package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.RelocatingHeap;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.Test;

/** A pool is full, and others ask a heap for room. */
class RoomForOthersTest extends HeapFixture {
    private static final long PAGE = PageSpace.GRANULE_BYTES;
    private static final int REGIONS = 4;

    /** Nothing is dead there, but nothing is added to them any more. */
    @Test
    void regionsRetiredWhenTheyWereNearlyEmpty_areEvacuated() {
        RelocatingHeap heap = heap(HeapVariant.USUAL, (2 + REGIONS) * PAGE);
        for (int i = 0; i < REGIONS; i++) {
            long _ = heap.allocate(KIB);
            space(heap).allocator.retireCurrent(_ -> true);
        }
        assertThat(heap.stats().regionBytes()).isGreaterThanOrEqualTo(REGIONS * PAGE);
        assertThat(space(heap).makeRoom(PAGE, true)).isTrue();
        assertThat(heap.stats().regionBytes()).isLessThan(REGIONS * PAGE);
        assertThat(pagesOf(heap).roomBytes()).isGreaterThanOrEqualTo(PAGE);
    }
}
