package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.heap.RelocatingHeap;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A heap is full, and few of its regions can be evacuated, or one that cannot. */
class LastRegionTest extends HeapFixture {
    private static final long PAGE = PageSpace.GRANULE_BYTES;
    private static final long BYTES = 100 * KIB;

    /** What is at the end of its region is for new objects, whatever tried to compact it. */
    private void endIsUsed(Consumer<RelocatingHeap> compaction) {
        RelocatingHeap heap = heap(HeapVariant.USUAL, 3 * PAGE);
        PageSpace pages = pagesOf(heap);
        Extent others = pages.take(PAGE, false);
        List<Long> handles = new ArrayList<>();
        for (long next = heap.tryAllocate(BYTES); next != 0; next = heap.tryAllocate(BYTES)) {
            handles.add(next);
        }
        heap.free(handles.getFirst());
        compaction.accept(heap);
        Region region = space(heap).regions.list().getFirst();
        long room = region.bytes() - region.filledBytes();
        assertThat(heap.tryAllocate(room - Long.BYTES)).isNotZero();
        pages.give(others, PAGE);
        assertThat(heap.tryAllocate(BYTES)).as("it can be evacuated now").isNotZero();
        assertThat(space(heap).regions.count()).isEqualTo(2);
    }

    @Test
    void refused_endIsUsed() {
        endIsUsed(heap -> assertThat(heap.tryAllocate(BYTES)).isZero());
    }

    @Test
    void compacted_endIsUsed() {
        endIsUsed(heap -> assertThat(heap.compact()).isZero());
    }

    /** Objects of two types have a region each, in which others have no room. */
    @Test
    void pageIsWanted_regionsWithMuchRoomAreCopiedTogether() {
        int pages = 8;
        RelocatingHeap heap = heap(HeapVariant.USUAL, pages * PAGE);
        long small = heap.allocate(BYTES);
        long medium = heap.allocate(3 * BYTES);
        int filled = 0;
        while (heap.tryAllocate(PAGE - KIB) != 0) {
            filled++;
        }
        assertThat(filled).as("but for table, reserve, and both").isEqualTo(pages - 3);
        assertThat(heap.size(small) + heap.size(medium)).isEqualTo(4 * BYTES);
    }

    /** Its copy would take as large a page as it leaves, and be copied again for the next try. */
    @Test
    void pageIsWanted_oneRegionWithMuchRoomStays() {
        RelocatingHeap heap = heap(HeapVariant.USUAL, 8 * PAGE);
        long _ = heap.allocate(BYTES);
        while (heap.tryAllocate(PAGE - KIB) != 0) {
            assertThat(heap.stats().liveBytes()).isPositive();
        }
        long copied = heap.stats().evacuatedBytes();
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> heap.allocate(PAGE - KIB));
        assertThat(heap.stats().evacuatedBytes() - copied).isLessThan(3 * BYTES);
    }
}
