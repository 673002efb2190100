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
    /** What there is of one size, while it is summed up. */
    private static final class Sum {
        long used;
        long free;
        long committed;
    }

    /** Sums over the spans of a map, as far as one can see while threads use them. */
    static List<SizeTotals> of(SpanMap map) {
        Map<Long, Sum> sums = new TreeMap<>();
        map.forEach(span -> add(span, sums));
        List<SizeTotals> totals = new ArrayList<>();
        sums.forEach(
                (bytes, sum) ->
                        totals.add(new SizeTotals(bytes, sum.used, sum.free, sum.committed)));
        return totals;
    }

    private static void add(Span span, Map<Long, Sum> sums) {
        Extent page = span.page;
        long used = usedCount(span);
        long carved = 1;
        long blockBytes = span.blockBytes;
        if (page != null) {
            blockBytes = page.bytes();
        } else if (span.empty) {
            blockBytes = 0;
        } else {
            carved = span.carvedBytes / Math.max(1, blockBytes);
        }
        Sum sum = sums.computeIfAbsent(blockBytes, _ -> new Sum());
        sum.used += used;
        sum.free += Math.max(0, carved - used);
        sum.committed += page == null ? span.committedBytes : page.bytes();
    }

    /** How many blocks of a span a program has, as far as one can see; not those in quarantine. */
    static long usedCount(Span span) {
        SpanChecks checks = span.checks;
        return Math.max(0, span.unfreed() - (checks == null ? 0 : checks.waiting));
    }
}
