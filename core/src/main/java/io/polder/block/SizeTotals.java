package io.polder.block;

import io.polder.page.space.Extent;

import java.util.ArrayList;
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
    private SizeTotals plus(SizeTotals more) {
        return new SizeTotals(
                blockBytes,
                usedCount + more.usedCount,
                freeCount + more.freeCount,
                committedBytes + more.committedBytes);
    }

    /** Sums over the spans of a map, as far as one can see while threads use them. */
    static List<SizeTotals> of(SpanMap map) {
        Map<Long, SizeTotals> totals = new TreeMap<>();
        for (Span span : map.spans()) {
            SizeTotals one = of(span);
            totals.merge(one.blockBytes(), one, SizeTotals::plus);
        }
        return new ArrayList<>(totals.values());
    }

    private static SizeTotals of(Span span) {
        Extent page = span.page;
        long used = usedCount(span);
        if (span.empty || page != null) {
            long committed = page == null ? span.committedBytes : page.bytes();
            return new SizeTotals(page == null ? 0 : page.bytes(), used, 1 - used, committed);
        }
        long carved = span.carvedBytes / Math.max(1, span.blockBytes);
        return new SizeTotals(
                span.blockBytes, used, Math.max(0, carved - used), span.committedBytes);
    }

    /** How many blocks of a span a program has, as far as one can see; not those in quarantine. */
    static long usedCount(Span span) {
        SpanChecks checks = span.checks;
        return Math.max(0, span.usedOpaque() - (checks == null ? 0 : checks.waiting));
    }
}
