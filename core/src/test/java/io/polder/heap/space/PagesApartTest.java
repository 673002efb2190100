package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.RelocatingHeap;
import io.polder.memory.MemoryLimits;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** A full heap of a pool without addresses, in which no two free pages lie side by side. */
class PagesApartTest extends HeapFixture {
    private static final long PAGE = PageSpace.GRANULE_BYTES;
    private static final long LIMIT = 32 * PAGE;

    /** Of which regions of two pages are made, once there is room for a reserve of as much. */
    private static final long BYTES = 300_000;

    private final PageSpace pages =
            pages(new MemoryLimits(MemoryLimits.ADDRESS_SPACE_BYTES, LIMIT));
    private final RelocatingHeap heap = heap(pages, HeapVariant.USUAL.settings().withReserve(true));

    /** Single pages, of which the first two lie side by side, and so on, with none beside them. */
    private List<Extent> pairs() {
        List<Extent> pairs = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            pairs.add(pages.take(2 * PAGE, false));
        }
        List<Extent> singles = new ArrayList<>();
        for (Extent pair : pairs) {
            pages.give(pair, 0);
            singles.add(pages.take(PAGE, false));
            singles.add(pages.take(PAGE, false));
        }
        return singles;
    }

    /** Gives back one of each two. */
    private void giveHalf(List<Extent> pairs) {
        for (int i = pairs.size() - 1; i > 0; i -= 2) {
            pages.give(pairs.remove(i), 0);
        }
    }

    private List<Long> fill() {
        List<Long> handles = new ArrayList<>();
        for (long next = heap.tryAllocate(BYTES); next != 0; next = heap.tryAllocate(BYTES)) {
            handles.add(next);
        }
        return handles;
    }

    private int freeMost(List<Long> handles) {
        int freed = 0;
        for (int i = 0; i < handles.size(); i++) {
            if (i % 3 != 0) {
                heap.free(handles.get(i));
                freed++;
            }
        }
        return freed;
    }

    @Test
    void reserveOfTwoPages_freedInAFullHeap_canBeAllocatedAgain() {
        List<Extent> others = pairs();
        List<Long> handles = fill();
        assertThat(space(heap).pages.reservedBytes).isEqualTo(2 * PAGE);
        ToSpace toSpace = space(heap).compactor.toSpace;
        toSpace.giveReserve();
        List<Extent> formerReserve = List.of(pages.take(PAGE, false), pages.take(PAGE, false));
        giveHalf(others);
        long _ = toSpace.end();
        assertThat(space(heap).pages.reservedBytes).isEqualTo(2 * PAGE);
        int freed = freeMost(handles);
        assertThat(fill()).hasSizeGreaterThan(freed * 4 / 5 - (int) (PAGE / BYTES) - 1);
        formerReserve.forEach(page -> pages.give(page, 0));
        others.forEach(page -> pages.give(page, 0));
    }
}
