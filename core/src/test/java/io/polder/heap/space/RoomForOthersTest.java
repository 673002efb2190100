package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.RelocatingHeap;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

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

    /** What others have taken since a compaction in vain is not set off against what died since. */
    @Test
    void compactedInVain_andMoreDiesThan2MiB_isCompactedAgain() {
        RelocatingHeap heap = heap(HeapVariant.USUAL, 48 * PAGE);
        PageSpace pages = pagesOf(heap);
        long[] handles = objects(heap, 20 << 10, KIB);
        assertThat(heap.tryAllocate(44 * PAGE)).isZero();
        List<Extent> others = new ArrayList<>();
        while (pages.roomBytes() >= PAGE) {
            others.add(pages.take(PAGE, false));
        }
        thin(heap, handles, 2);
        assertThat(space(heap).makeRoom(PAGE, true)).isTrue();
        assertThat(pages.roomBytes()).isGreaterThanOrEqualTo(PAGE);
        checkThinned(heap, handles, 2);
        others.forEach(page -> pages.give(page, 0));
    }
}
