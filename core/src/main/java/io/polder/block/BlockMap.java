package io.polder.block;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
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
    static String of(Set<Span> spans) {
        Map<Long, char[]> lines = new TreeMap<>();
        for (Span span : spans) {
            long base = span.base;
            long bytes = span.coveredBytes();
            if (span.isLarge() || bytes == 0) {
                continue;
            }
            char sign = sign(span);
            for (long at = base; at < base + bytes; at += SpanMap.UNIT_BYTES) {
                char[] line = lines.computeIfAbsent(at & -LINE_BYTES, _ -> empty());
                line[(int) ((at & (LINE_BYTES - 1)) / SpanMap.UNIT_BYTES)] = sign;
            }
        }
        StringBuilder text = new StringBuilder(lines.isEmpty() ? "" : LEGEND);
        lines.forEach(
                (address, signs) ->
                        text.append("blocks at 0x")
                                .append(Long.toHexString(address))
                                .append("  ")
                                .append(new String(signs).replaceAll("\\.+$", ""))
                                .append('\n'));
        return text.toString();
    }

    private static char[] empty() {
        char[] line = new char[(int) (LINE_BYTES / SpanMap.UNIT_BYTES)];
        Arrays.fill(line, '.');
        return line;
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
