package io.polder.page.space;

import io.polder.page.PageStatistics;

import java.util.ArrayList;
import java.util.List;

/**
 * The figures of one moment: what {@link PageStatistics} say, and no more, so that the text has
 * what can be asked for. Lists cannot be changed.
 */
public record PageFigures(
        long reservedBytes,
        long committedBytes,
        long committedTotalBytes,
        long uncommittedTotalBytes,
        long takenBytes,
        int takenPages,
        int keptByViews,
        long freeDirtyBytes,
        List<PageStatistics.SizeClass> freeRuns,
        int waiting,
        List<PageStatistics.SizeClass> mix,
        long slowTakes,
        long slowTakeNanos,
        long longestTakeNanos,
        long assembledOnAllocation,
        long assembledInBackground,
        long movedBytes,
        long mappingsMax,
        long mappingsLimit)
        implements PageStatistics {

    /** Pages, or free runs, of about one size. */
    public record SizeClass(long sizeBytes, long count, long bytes)
            implements PageStatistics.SizeClass {}

    /**
     * Those of a space.
     *
     * @param keptByViews how many pages are closed and kept
     * @param waiting how many threads wait in the queue
     */
    static PageFigures ofLocked(PageState state, int keptByViews, int waiting) {
        long[] counts = new long[Demand.CLASSES];
        long[] granules = new long[Demand.CLASSES];
        for (PageReservation reservation : state.reserved) {
            BitTree runs = reservation.warm.all;
            for (int run = runs.last(); run != BitTree.NONE; run = runs.before(run)) {
                int length = reservation.runs[run];
                counts[Granules.runClass(length)]++;
                granules[Granules.runClass(length)] += length;
            }
        }
        return new PageFigures(
                state.reservedBytes,
                state.committedBytes,
                state.committedTotalBytes,
                state.uncommittedTotalBytes,
                Granules.bytes(state.taken),
                state.takenCount,
                keptByViews,
                Granules.bytes(state.dirtyFreeLocked()),
                classes(counts, granules),
                waiting,
                classes(state.demand.pages, state.demand.granules),
                state.slowTakes.count.get(),
                state.slowTakes.totalNanos.get(),
                state.slowTakes.longestNanos.get(),
                state.assembledOnAllocation,
                state.assembledInBackground,
                Granules.bytes(state.movedTotal),
                state.mappingsLocked(),
                state.mappingsMax);
    }

    private static List<PageStatistics.SizeClass> classes(long[] counts, long[] granules) {
        List<PageStatistics.SizeClass> classes = new ArrayList<>();
        for (int c = 0; c < Demand.CLASSES; c++) {
            if (counts[c] > 0) {
                classes.add(
                        new SizeClass(
                                Granules.bytes(1L << c), counts[c], Granules.bytes(granules[c])));
            }
        }
        return List.copyOf(classes);
    }
}
