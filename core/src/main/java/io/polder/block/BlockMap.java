package io.polder.block;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * The spans as text, a sign for each unit of address space, one line per root chunk.
 *
 * <pre>{@code
 *   blocks, 64 KiB each; 0 to 9: so many tenths of a span are used, #: all, e: none, dots: no
 *   blocks
 *   blocks at 0x7f5500000000  039#e7....
 * }</pre>
 *
 * <p>Blocks that are pages are not in it: pages have a map of their own.
 */
final class BlockMap {
    private static final String LEGEND =
            "blocks, 64 KiB each; 0 to 9: so many tenths of a span are used, #: all, e: none,"
                    + " dots: no blocks\n";

    /** A line: as much as a root chunk has. */
    private static final long LINE_BYTES = 4 << 20;

    private static final int TENTHS = 10;

    private BlockMap() {}

    /** The text; empty if there are no spans. */
    static String of(SpanMap spans) {
        Map<Long, char[]> lines = new TreeMap<>();
        spans.forEach(span -> add(span, lines));
        StringBuilder text = new StringBuilder(lines.isEmpty() ? "" : LEGEND);
        lines.forEach(
                (address, signs) ->
                        text.append("blocks at 0x")
                                .append(Long.toHexString(address))
                                .append("  ")
                                .append(signs, 0, end(signs))
                                .append('\n'));
        return text.toString();
    }

    private static void add(Span span, Map<Long, char[]> lines) {
        long base = span.base;
        long bytes = span.coveredBytes();
        if (span.isLarge() || bytes == 0) {
            return;
        }
        char sign = sign(span);
        char[] line = lines.computeIfAbsent(base & -LINE_BYTES, _ -> empty());
        int from = (int) ((base & (LINE_BYTES - 1)) / SpanMap.UNIT_BYTES);
        Arrays.fill(line, from, from + (int) (bytes / SpanMap.UNIT_BYTES), sign);
    }

    private static char[] empty() {
        char[] line = new char[(int) (LINE_BYTES / SpanMap.UNIT_BYTES)];
        Arrays.fill(line, '.');
        return line;
    }

    private static int end(char[] signs) {
        int end = signs.length;
        while (end > 0 && signs[end - 1] == '.') {
            end--;
        }
        return end;
    }

    private static char sign(Span span) {
        long used = SizeTotals.usedCount(span);
        long all = Math.max(1, span.bytes / Math.max(1, span.blockBytes));
        if (span.empty || used <= 0) {
            return 'e';
        }
        return used >= all ? '#' : (char) ('0' + TENTHS * used / all);
    }
}
