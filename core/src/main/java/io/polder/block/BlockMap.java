package io.polder.block;

import io.polder.chunk.ChunkLevel;
import io.polder.memory.MapSink;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Tells of spans, as far as one can see while threads use them: an area for each root chunk that
 * has some, with a piece for each {@linkplain SpanMap#UNIT_BYTES unit} of it.
 *
 * <p>Blocks that are pages are not in it: they are told of as pages.
 */
final class BlockMap {
    private static final long BYTES = SpanMap.UNIT_BYTES;
    private static final int UNITS = (int) (ChunkLevel.ROOT_BYTES / BYTES);
    private static final int TENTHS = 10;

    private BlockMap() {}

    static void of(SpanMap spans, MapSink sink) {
        Map<Long, Span[]> roots = new TreeMap<>();
        spans.spans().forEach(span -> add(span, roots));
        roots.forEach(
                (address, units) -> {
                    for (Span span : units) {
                        of(span, sink);
                    }
                    sink.area("blocks", address, 0);
                });
    }

    private static void add(Span span, Map<Long, Span[]> roots) {
        long base = span.base;
        long bytes = span.coveredBytes();
        if (!span.isLarge() && bytes > 0) {
            Span[] units = roots.computeIfAbsent(base & -ChunkLevel.ROOT_BYTES, _ -> none());
            int from = (int) (base % ChunkLevel.ROOT_BYTES / BYTES);
            Arrays.fill(units, from, from + (int) (bytes / BYTES), span);
        }
    }

    private static Span[] none() {
        Span[] units = new Span[UNITS];
        Arrays.fill(units, Span.NONE);
        return units;
    }

    private static void of(Span span, MapSink sink) {
        long used = SizeTotals.usedCount(span);
        if (span == Span.NONE) {
            sink.piece("UNUSED", BYTES, 0);
        } else if (span.empty || used <= 0) {
            sink.piece("FREE", BYTES, 0);
        } else {
            long all = Math.max(1, span.bytes / Math.max(1, span.blockBytes));
            long tenths = Math.min(TENTHS, TENTHS * used / all);
            sink.piece("USED", BYTES, Math.ceilDiv(BYTES * tenths, TENTHS));
        }
    }
}
