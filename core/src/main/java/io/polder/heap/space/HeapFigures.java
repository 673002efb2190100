package io.polder.heap.space;

import io.polder.gate.GateStatistics;
import io.polder.heap.HeapStatistics;

import org.jspecify.annotations.Nullable;

/**
 * The statistics of a heap, put together from what its parts count: what {@link HeapStatistics}
 * say, and no more, so that the text has what can be asked for.
 */
public record HeapFigures(
        int number,
        long liveObjects,
        long liveBytes,
        long filledBytes,
        long regionBytes,
        long tableBytes,
        long maxBytes,
        long cycles,
        long evacuatedBytes,
        long outOfMemoryCycles,
        long waitsForAnotherCopy,
        long givenBackBytes,
        long compactionNanos,
        long longestWaitNanos,
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
                totals.regionBytes(),
                tableBytes,
                maxBytes,
                counts.cycles.get(),
                counts.copiedBytes.sum(),
                counts.outOfMemoryCycles.get(),
                counts.waitsForCopies.sum(),
                counts.givenBackBytes.get(),
                counts.workNanos.get(),
                counts.longestWaitNanos.get(),
                insider == null ? null : insider.thread(),
                insider == null ? 0 : insider.atLeastNanos());
    }
}
