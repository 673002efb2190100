package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.RelocatingHeap;
import io.polder.memory.Exhaustion;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** A heap whose second region took the last memory of its pool, and had no reserve. */
class LateReserveTest extends HeapFixture {
    private static final long PAGE = PageSpace.GRANULE_BYTES;

    /** A page of the table, two regions, and one of others. */
    private static final long LIMIT = 4 * PAGE;

    private static final int ROUNDS = 5;

    private static void fill(RelocatingHeap heap, List<Long> handles) {
        for (long next = heap.tryAllocate(KIB); next != 0; next = heap.tryAllocate(KIB)) {
            handles.add(next);
        }
    }

    /** Every second one, so that something lives in each region. */
    private static int freeHalf(RelocatingHeap heap, List<Long> handles) {
        List<Long> kept = new ArrayList<>();
        for (int i = 0; i < handles.size(); i++) {
            if (i % 2 == 0) {
                heap.free(handles.get(i));
            } else {
                kept.add(handles.get(i));
            }
        }
        int freed = handles.size() - kept.size();
        handles.clear();
        handles.addAll(kept);
        return freed;
    }

    /** There is enough for both: others could take what is only left in the pool for it. */
    @Test
    void memoryForTheReserveAndARegion_isTakenForBoth() {
        RelocatingHeap heap = heap(HeapVariant.USUAL, LIMIT + PAGE);
        PageSpace pages = pagesOf(heap);
        Extent others = pages.take(2 * PAGE, false);
        fill(heap, new ArrayList<>());
        assertThat(space(heap).pages.reservedBytes).isZero();
        pages.give(others, 0);
        assertThat(heap.tryAllocate(KIB)).isNotZero();
        assertThat(space(heap).pages.reservedBytes).isEqualTo(PAGE);
        assertThat(space(heap).regions.count()).isEqualTo(2 + 1 + 1);
    }

    /** The region for which it would be kept is not to be had: it is for a thread that asked. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void memoryThatCameForOthers_isLeftToThem(int othersPages) {
        AtomicBoolean isForOthers = new AtomicBoolean();
        Exhaustion exhaustion =
                new Exhaustion() {
                    @Override
                    public boolean isForOthers() {
                        return isForOthers.get();
                    }
                };
        PageSpace pages = pages(LIMIT);
        RelocatingHeap heap =
                heap(pages, HeapVariant.USUAL.settings().withReserve(true), exhaustion);
        Extent others = pages.take(othersPages * PAGE, false);
        fill(heap, new ArrayList<>());
        pages.give(others, 0);
        isForOthers.set(true);
        assertThat(heap.tryAllocate(KIB)).isZero();
        assertThat(pages.roomBytes()).isEqualTo(othersPages * PAGE);
        isForOthers.set(false);
        long _ = heap.tryAllocate(KIB);
        assertThat(space(heap).pages.reservedBytes).isEqualTo(PAGE);
    }

    @Test
    void memoryThatCameLater_isTheReserveFirst() {
        RelocatingHeap heap = heap(HeapVariant.USUAL, LIMIT);
        PageSpace pages = pagesOf(heap);
        Extent others = pages.take(PAGE, false);
        List<Long> handles = new ArrayList<>();
        fill(heap, handles);
        assertThat(space(heap).regions.count()).isEqualTo(2);
        assertThat(heap.tryAllocate(KIB)).isZero();
        pages.give(others, 0);
        for (int round = 0; round < ROUNDS; round++) {
            int freed = freeHalf(heap, handles);
            int before = handles.size();
            fill(heap, handles);
            assertThat(handles.size() - before).as("round %d", round).isGreaterThan(freed / 2);
        }
    }

    /** Others were refused before, since there was nothing to copy to. */
    @Test
    void memoryThatCameLater_isEnoughToMakeRoomForOthers() {
        RelocatingHeap heap = heap(HeapVariant.USUAL, LIMIT);
        PageSpace pages = pagesOf(heap);
        Extent others = pages.take(PAGE, false);
        List<Long> handles = new ArrayList<>();
        fill(heap, handles);
        for (int i = 0; i < 3; i++) {
            assertThat(freeHalf(heap, handles)).isPositive();
        }
        assertThat(space(heap).makeRoom(2 * PAGE, true)).isFalse();
        pages.give(others, 0);
        assertThat(space(heap).makeRoom(2 * PAGE, true)).isTrue();
        assertThat(pages.roomBytes()).isEqualTo(2 * PAGE);
    }
}
