package io.polder.page.space;

import io.polder.page.PageStatistics;

import java.util.List;

/** The figures of one moment. Lists cannot be changed. */
public record PageFigures(
        long reservedBytes,
        long committedBytes,
        long committedTotalBytes,
        long uncommittedTotalBytes,
        long refusals,
        long takenBytes,
        int takenPages,
        int keptByViews,
        long freeCommittedBytes,
        long freeDirtyBytes,
        List<PageStatistics.SizeClass> freeRuns,
        long largestRunBytes,
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
}
