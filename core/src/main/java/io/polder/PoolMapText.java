package io.polder;

import java.util.Locale;

/**
 * A map as text, in the manner of {@code jcmd VM.metaspace vslist}: a line for each root chunk, for
 * each 64 granules, but for those without memory at its end, and for each root chunk with blocks.
 *
 * <pre>{@code
 *   A = 4 MiB, B = 2 MiB, ... M = 1 KiB; upper case: in use, lower case: free, after -: no memory
 *   0x7f5500000000  12K  MmlkJ-i-h-g-f-e-d-c-b
 *   0x7f5500400000  0K  -a
 *   not used yet: 14 root chunks
 *   2 MiB each; Tt: a page in use, w: free, d: free and not zero, c: isolated, x: lost, ...
 *   0x7f5600000000  TttwdcT..w
 *   blocks, 64 KiB each; 0 to 9: so many tenths of a span are used, #: all, e: none, ...
 *   blocks at 0x7f5500000000  039#e7....
 * }</pre>
 */
final class PoolMapText {
    private static final String CHUNKS =
            "A = 4 MiB, B = 2 MiB, ... M = 1 KiB;"
                    + " upper case: in use, lower case: free, after -: no memory\n";
    private static final String PAGES =
            "2 MiB each; Tt: a page in use, w: free, d: free and not zero, c: isolated,"
                    + " x: lost, dots: no memory\n";
    private static final String BLOCKS =
            "blocks, 64 KiB each; 0 to 9: so many tenths of a span are used, #: all, e: none,"
                    + " dots: no blocks\n";
    private static final long ROOT_BYTES = 4 << 20;
    private static final long GRANULE_BYTES = 2 << 20;
    private static final int LINE = 64;
    private static final int TENTHS = 10;

    private final PoolMap map;
    private final StringBuilder text = new StringBuilder(CHUNKS);
    private long unusedBytes;

    private PoolMapText(PoolMap map) {
        this.map = map;
    }

    static String of(PoolMap map) {
        PoolMapText of = new PoolMapText(map);
        of.add("chunks", "", "0x%x  %dK  ", Integer.MAX_VALUE);
        of.text.append("not used yet: " + of.unusedBytes / ROOT_BYTES + " root chunks\n");
        of.add("pages", PAGES, "0x%x  ", LINE);
        of.add("blocks", BLOCKS, "blocks at 0x%x  ", LINE);
        return of.text.toString();
    }

    private void add(String part, String legend, String begin, int lineMax) {
        String before = legend;
        for (PoolMap.Area area : map.areas()) {
            if (area.part().equals(part)) {
                text.append(before);
                before = "";
                String letters = letters(area);
                for (int at = 0; at < letters.length(); at += lineMax) {
                    int end = Math.min(lineMax, letters.length() - at) + at;
                    String line = letters.substring(at, end).stripTrailing().replace(' ', '.');
                    if (!line.isEmpty()) {
                        long address = area.address() + at * GRANULE_BYTES;
                        long kib = area.committedBytes() / 1024;
                        text.append(String.format(Locale.ROOT, begin, address, kib));
                        text.append(line).append('\n');
                    }
                }
            }
        }
    }

    private String letters(PoolMap.Area area) {
        StringBuilder letters = new StringBuilder();
        for (int kind : area.pieces()) {
            PoolMap.Piece piece = map.kinds().get(kind);
            switch (area.part()) {
                case "chunks" -> letters.append(chunk(piece));
                case "pages" -> letters.append(pages(piece));
                default -> letters.append(blocks(piece));
            }
        }
        return letters.toString();
    }

    private String chunk(PoolMap.Piece piece) {
        String letter =
                Character.toString('a' + Long.numberOfTrailingZeros(ROOT_BYTES / piece.bytes()));
        unusedBytes += piece.state().equals("UNUSED") ? piece.bytes() : 0;
        return switch (piece.state()) {
            case "USED" -> letter.toUpperCase(Locale.ROOT);
            case "FREE" -> letter;
            case "COLD" -> "-" + letter;
            case "UNUSED" -> "";
            default -> "?";
        };
    }

    private static String pages(PoolMap.Piece piece) {
        String letter =
                switch (piece.state()) {
                    case "USED" -> "t";
                    case "FREE" -> "w";
                    case "DIRTY" -> "d";
                    case "COLD" -> " ";
                    case "ISOLATED" -> "c";
                    case "LOST" -> "x";
                    default -> "?";
                };
        String letters = letter.repeat((int) (piece.bytes() / GRANULE_BYTES));
        return letter.equals("t") ? "T" + letters.substring(1) : letters;
    }

    private static String blocks(PoolMap.Piece piece) {
        return switch (piece.state()) {
            case "USED" ->
                    piece.usedBytes() == piece.bytes()
                            ? "#"
                            : Long.toString(TENTHS * piece.usedBytes() / piece.bytes());
            case "FREE" -> "e";
            default -> " ";
        };
    }
}
