package io.polder.page.space;

import io.polder.page.PageStatistics;
import io.polder.page.space.PageReservation.Kind;

import java.util.ArrayList;
import java.util.List;

/**
 * What can be said about a space for people: its statistics. To be used with the lock of its
 * {@link PageState} held.
 *
 * @param state the space
 * @param waiting how many threads wait in the queue
 * @param mappingsMax how many mappings it may cost
 */
record SpaceView(PageState state, int waiting, long mappingsMax) {
    PageStatistics statistics(int keptByViews) {
        return new PageFigures(
                state.reservedBytes,
                state.committedBytes,
                state.committedTotalBytes,
                state.uncommittedTotalBytes,
                state.refusals,
                Granules.bytes(state.taken),
                state.takenCount,
                keptByViews,
                Granules.bytes(state.warmFree + state.isolated),
                Granules.bytes(state.dirtyFreeLocked()),
                List.copyOf(runs()),
                Granules.bytes(longest()),
                waiting,
                List.copyOf(mix()),
                state.slowTakes.count(),
                state.slowTakes.totalNanos(),
                state.slowTakes.longestNanos(),
                state.assembledOnAllocation,
                state.assembledInBackground,
                Granules.bytes(state.movedTotal),
                state.mappingsLocked(),
                mappingsMax);
    }

    private List<PageStatistics.SizeClass> runs() {
        List<PageStatistics.SizeClass> runs = new ArrayList<>();
        for (int c = 0; c < Demand.CLASSES; c++) {
            int count = 0;
            long granules = 0;
            for (PageReservation reservation : state.reservationsLocked()) {
                count += reservation.index(Kind.WARM).count(c);
                granules += reservation.index(Kind.WARM).granules(c);
            }
            if (count > 0) {
                runs.add(
                        new PageFigures.SizeClass(
                                Granules.bytes(1L << c), count, Granules.bytes(granules)));
            }
        }
        return runs;
    }

    private long longest() {
        long longest = 0;
        for (PageReservation reservation : state.reservationsLocked()) {
            longest = Math.max(longest, reservation.index(Kind.WARM).longest());
        }
        return longest;
    }

    private List<PageStatistics.SizeClass> mix() {
        List<PageStatistics.SizeClass> mix = new ArrayList<>();
        for (int c = 0; c < Demand.CLASSES; c++) {
            if (state.demand.count(c) > 0) {
                mix.add(
                        new PageFigures.SizeClass(
                                Granules.bytes(1L << c),
                                state.demand.count(c),
                                Granules.bytes(state.demand.granules(c))));
            }
        }
        return mix;
    }
}
