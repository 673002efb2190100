package io.polder.heap.space;

import io.polder.gate.GateStatistics;
import io.polder.heap.HeapStatistics;

import org.jspecify.annotations.Nullable;

/**
 * The statistics of a heap, put together from what its parts count.
 *
 * @param helpedObjects those of the evacuated ones that threads copied which wanted to change them
 * @param pinnedObjects how often a thread made an object stay where it was, to change it
 * @param refusedCopies how often there was no room for a copy
 * @param longestGraceNanos the longest that compaction has waited for threads inside
 */
public record HeapFigures(
        int number,
        long liveObjects,
        long liveBytes,
        long filledBytes,
        int regions,
        long regionBytes,
        long tableBytes,
        long maxBytes,
        long cycles,
        long evacuatedObjects,
        long evacuatedBytes,
        long helpedObjects,
        long pinnedObjects,
        long refusedCopies,
        long outOfMemoryCycles,
        long waitsForAnotherCopy,
        long givenBackBytes,
        long compactionNanos,
        long longestWaitNanos,
        long longestGraceNanos,
        @Nullable String longestInsideThread,
        long longestInsideNanos)
        implements HeapStatistics {

    /** What a heap of these parts holds and has done. */
    static HeapFigures of(
            int number,
            RegionTotals totals,
            long tableBytes,
            long maxBytes,
            EvacuationCounts counts,
            GateStatistics gate) {
        GateStatistics.Insider insider = gate.longestInside();
        return new HeapFigures(
                number,
                totals.liveObjects(),
                totals.liveBytes(),
                totals.filledBytes(),
                totals.regions(),
                totals.regionBytes(),
                tableBytes,
                maxBytes,
                counts.cycles.get(),
                counts.copiedObjects.sum(),
                counts.copiedBytes.sum(),
                counts.helpedObjects.sum(),
                counts.pinnedObjects.sum(),
                counts.refusedCopies.sum(),
                counts.outOfMemoryCycles.get(),
                counts.waitsForCopies.sum(),
                counts.givenBackBytes.get(),
                counts.workNanos.get(),
                counts.longestWaitNanos.get(),
                gate.longestWaitNanos(),
                insider == null ? null : insider.thread(),
                insider == null ? 0 : insider.atLeastNanos());
    }
}
