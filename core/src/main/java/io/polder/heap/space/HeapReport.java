package io.polder.heap.space;

import io.polder.gate.GateStatistics;
import io.polder.heap.HeapStatistics;

/** The statistics of a heap, put together from what its parts count. */
final class HeapReport {
    private HeapReport() {}

    /** What a heap of these parts holds and has done. */
    static HeapStatistics of(
            Regions regions,
            HandleLeaves leaves,
            HeapPages pages,
            EvacuationCounts counts,
            GateStatistics gate) {
        RegionTotals totals = RegionTotals.of(regions);
        GateStatistics.Insider insider = gate.longestInside();
        return new HeapStatistics(
                totals.liveObjects(),
                totals.liveBytes(),
                totals.filledBytes(),
                totals.regions(),
                totals.regionBytes(),
                leaves.pageBytes(),
                pages.maxBytes(),
                counts.cycles.get(),
                counts.copiedObjects.sum(),
                counts.copiedBytes.sum(),
                counts.helpedObjects.sum(),
                counts.pinnedObjects.sum(),
                counts.refusedCopies.sum(),
                counts.outOfMemoryCycles.get(),
                counts.givenBackBytes.get(),
                counts.workNanos.get(),
                counts.longestWaitNanos.get(),
                gate.longestWaitNanos(),
                insider == null
                        ? null
                        : new HeapStatistics.Insider(insider.thread(), insider.atLeastNanos()));
    }
}
