package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;
import io.polder.memory.MemoryLimits;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/** A full heap of a pool without addresses, in which no two free pages lie side by side. */
class PagesApartTest extends HeapFixture {
    private static final long PAGE = PageSpace.GRANULE_BYTES;
    private static final long LIMIT = 32 * PAGE;

    /** Of which regions of two pages are made, once there is room for a reserve of as much. */
    private static final long BYTES = 300_000;

    private final PageSpace pages =
            pages(new MemoryLimits(MemoryLimits.ADDRESS_SPACE_BYTES, LIMIT));
    private RelocatingHeap heap = heap(pages, HeapVariant.USUAL.settings().withReserve(true));

    /** Reservations of two pages. */
    private List<Extent> pairs(int count) {
        List<Extent> pairs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            pairs.add(pages.take(2 * PAGE, false));
        }
        return pairs;
    }

    /** Single pages, of which the first two lie side by side, and so on, with none beside them. */
    private List<Extent> singles() {
        List<Extent> pairs = pairs(2);
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

    private List<Long> fill(long bytes) {
        List<Long> handles = new ArrayList<>();
        for (long next = heap.tryAllocate(bytes); next != 0; next = heap.tryAllocate(bytes)) {
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

    /** Fills the heap with a reserve of two pages, which from then on do not lie side by side. */
    private List<Long> fillWithReserveApart(List<Extent> rest) {
        List<Extent> others = singles();
        List<Long> handles = fill(BYTES);
        assertThat(space(heap).pages.reservedBytes).isEqualTo(2 * PAGE);
        Compactor compactor = space(heap).compactor;
        boolean _ =
                compactor.locked( // else the background takes it for a cycle that has failed
                        () -> {
                            compactor.toSpace.giveReserve();
                            rest.add(pages.take(PAGE, false));
                            rest.add(pages.take(PAGE, false));
                            giveHalf(others);
                            return compactor.toSpace.end() == 0;
                        });
        assertThat(space(heap).pages.reservedBytes).isEqualTo(2 * PAGE);
        rest.addAll(others);
        return handles;
    }

    @Test
    void reserveOfTwoPages_freedInAFullHeap_canBeAllocatedAgain() {
        List<Extent> rest = new ArrayList<>();
        int freed = freeMost(fillWithReserveApart(rest));
        assertThat(fill(BYTES)).hasSizeGreaterThan(freed * 4 / 5 - (int) (PAGE / BYTES) - 1);
        rest.forEach(page -> pages.give(page, 0));
    }

    @Test
    void reserveOfTwoPages_freedInAFullHeap_backgroundGivesItBack() {
        HeapOptions options = HeapOptions.DEFAULT.withCompactionShare(1);
        heap = heap(pages, HeapVariant.USUAL.settings(options).withReserve(true));
        List<Extent> rest = new ArrayList<>();
        List<Long> handles = fillWithReserveApart(rest);
        long full = heap.stats().regionBytes();
        // At once: the background would begin while so little is dead that less room is enough.
        boolean _ = space(heap).compactor.locked(() -> freeMost(handles) > 0);
        Await.until(() -> heap.stats().regionBytes() < full / 2 + 2 * PAGE);
        rest.forEach(page -> pages.give(page, 0));
    }

    /** Of two pages that lie side by side one is emptied first; an object of two needs both. */
    @Test
    void pagesComeFreeApart_objectOfTwoPages_isAllocated() {
        List<Extent> pairs = pairs((int) (LIMIT / PAGE / 2));
        Set<Long> firsts = pairs.stream().map(Extent::address).collect(Collectors.toSet());
        pairs.forEach(page -> pages.give(page, 0));
        List<Long> handles = fill(PAGE / 20 - KIB);
        Random random = new Random(1);
        for (long handle : handles) {
            long word = space(heap).table.word(HandleLayout.index(handle));
            Region region = space(heap).map.at(HandleWordLayout.address(word));
            double share = firsts.contains(region.address()) ? 0.9 : 0.4;
            if (random.nextDouble() < share) {
                heap.free(handle);
            }
        }
        assertThat(heap.tryAllocate(PAGE + PAGE / 2)).isNotZero();
    }
}
