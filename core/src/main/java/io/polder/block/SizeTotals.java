package io.polder.block;

import io.polder.page.space.Extent;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The blocks of one size.
 *
 * @param blockBytes the size of each; 0 for spans that are empty, and have blocks of none
 * @param usedCount how many are allocated
 * @param freeCount how many are free and carved
 * @param committedBytes the memory behind them
 */
public record SizeTotals(long blockBytes, long usedCount, long freeCount, long committedBytes) {
    /**
     * Sums over the spans of a map, as far as one can see while threads use them.
     *
     * @param owners whose batches are free, too
     */
    static List<SizeTotals> of(SpanMap map, List<ThreadHeap> owners) {
        Map<Long, SizeTotals> totals = new TreeMap<>();
        for (Span span : map.spans()) {
            SizeTotals one = of(span);
            totals.merge(one.blockBytes, one, SizeTotals::plus);
        }
        for (ThreadHeap owner : owners) {
            Span span = owner.batch.span; // read once: its thread may free what there is
            if (span != null) {
                totals.computeIfPresent(
                        span.blockBytes, (_, total) -> total.withFreed(owner.batch.count));
            }
        }
        return List.copyOf(totals.values());
    }

    private static SizeTotals of(Span span) {
        Extent page = span.page; // read once: another thread may give it
        long blockBytes = page != null ? page.bytes() : span.empty ? 0 : span.blockBytes;
        long blocks = page != null || blockBytes == 0 ? 1 : span.carvedBytes / blockBytes;
        long used = usedCount(span);
        long committed = page != null ? page.bytes() : span.committedBytes;
        return new SizeTotals(blockBytes, used, Math.max(0, blocks - used), committed);
    }

    private SizeTotals withFreed(int blocks) {
        long freed = Math.min(blocks, usedCount);
        return new SizeTotals(blockBytes, usedCount - freed, freeCount + freed, committedBytes);
    }

    private SizeTotals plus(SizeTotals other) {
        return new SizeTotals(
                blockBytes,
                usedCount + other.usedCount,
                freeCount + other.freeCount,
                committedBytes + other.committedBytes);
    }

    /** How many blocks of a span a program has, as far as one can see; not those in quarantine. */
    static long usedCount(Span span) {
        SpanChecks checks = span.checks;
        return Math.max(0, span.unfreed() - (checks == null ? 0 : checks.waiting));
    }
}
