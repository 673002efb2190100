package io.polder.block;

import io.polder.chunk.ChunkLevel;
import io.polder.memory.MapSink;

import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Tells of spans, as far as one can see while threads use them: an area for each root chunk that
 * has some, with a piece for each {@linkplain SpanMap#UNIT_BYTES unit} of it.
 *
 * <p>Blocks that are pages are not in it: they are told of as pages.
 */
final class BlockMap {
    private static final long BYTES = SpanMap.UNIT_BYTES;
    private static final int TENTHS = 10;

    private BlockMap() {}

    static void of(SpanMap spans, MapSink sink) {
        NavigableMap<Long, Span> byBase = new TreeMap<>();
        SortedSet<Long> roots = new TreeSet<>();
        for (Span span : spans.spans()) {
            if (!span.isLarge()) {
                byBase.put(span.base, span);
                roots.add(span.base & -ChunkLevel.ROOT_BYTES);
            }
        }
        for (long root : roots) {
            for (long unit = root; unit < root + ChunkLevel.ROOT_BYTES; unit += BYTES) {
                Map.Entry<Long, Span> before = byBase.floorEntry(unit);
                Span span = before == null ? Span.NONE : before.getValue();
                of(unit - span.base < span.committedBytes ? span : Span.NONE, sink);
            }
            sink.area("blocks", root, 0);
        }
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
