package io.polder.tools.live;

import io.polder.tools.html.PoolArea;
import io.polder.tools.html.PoolArea.Piece;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * The map of a pool as text like that of {@code io.polder.PoolMap}, in colours, and in lines that
 * fit a terminal. Letters go on in the next line, below those before them:
 *
 * <pre>{@code
 *   0x7f5500000000  12K  MmlkJ-iMml
 *                        kJ-i
 * }</pre>
 */
final class MapText {
    private static final String CHUNKS =
            "A = 4 MiB, B = 2 MiB, ... M = 1 KiB;"
                    + " upper case: in use, lower case: free, after -: no memory";
    private static final String PAGES =
            "2 MiB each; Tt: a page in use, w: free, d: free and not zero, c: isolated,"
                    + " x: lost, dots: no memory";
    private static final String BLOCKS =
            "blocks, 64 KiB each; 0 to 9: so many tenths of a span are used, #: all, e: none,"
                    + " dots: no blocks";
    private static final long ROOT_BYTES = 4 << 20;
    private static final long GRANULE_BYTES = 2 << 20;
    private static final int TENTHS = 10;
    private static final int LINE = 64;

    /** So narrow a terminal shows nothing anyway. */
    private static final int LETTERS_MIN = 8;

    private static final Sign NOTHING = new Sign(".", Colours.NONE);

    /** What is not broken into lines. */
    private record Sign(String letters, String colour) {}

    private final List<PoolArea> areas;
    private final int columns;
    private final boolean coloured;
    private final StringBuilder out = new StringBuilder();
    private String colour = "";

    private MapText(List<PoolArea> areas, int columns, boolean coloured) {
        this.areas = areas;
        this.columns = columns;
        this.coloured = coloured;
    }

    static String of(List<PoolArea> areas, int columns, boolean coloured) {
        MapText text = new MapText(areas, columns, coloured);
        text.words(CHUNKS);
        text.part("chunks", "", "0x%x  %dK  ", Integer.MAX_VALUE);
        text.words("not used yet: " + text.unusedBytes() / ROOT_BYTES + " root chunks");
        text.part("pages", PAGES, "0x%x  ", LINE);
        text.part("blocks", BLOCKS, "blocks at 0x%x  ", LINE);
        return text.out.toString();
    }

    private long unusedBytes() {
        return areas.stream()
                .filter(area -> area.part().equals("chunks"))
                .flatMap(area -> area.pieces().stream())
                .filter(Piece::isUnused)
                .mapToLong(Piece::bytes)
                .sum();
    }

    private void part(String part, String legend, String begin, int lineMax) {
        String before = legend;
        for (PoolArea area : areas) {
            if (area.part().equals(part)) {
                words(before);
                before = "";
                List<Sign> signs = signs(area);
                for (int at = 0; at < signs.size(); at += lineMax) {
                    int end = Math.min(lineMax, signs.size() - at) + at;
                    while (end > at && signs.get(end - 1).equals(NOTHING)) {
                        end--;
                    }
                    long address = area.address() + at * GRANULE_BYTES;
                    long kib = area.committedBytes() / 1024;
                    String prefix = String.format(Locale.ROOT, begin, address, kib);
                    line(prefix, signs.subList(at, end));
                }
            }
        }
    }

    private void line(String prefix, List<Sign> signs) {
        if (signs.isEmpty()) {
            return;
        }
        int room = Math.max(LETTERS_MIN, columns - prefix.length());
        int used = 0;
        out.append(prefix);
        for (Sign sign : signs) {
            if (used + sign.letters.length() > room) {
                paint("");
                out.append('\n').append(" ".repeat(prefix.length()));
                used = 0;
            }
            paint(sign.colour);
            out.append(sign.letters);
            used += sign.letters.length();
        }
        paint("");
        out.append('\n');
    }

    private void paint(String next) {
        if (coloured && !next.equals(colour)) {
            out.append(colour.isEmpty() ? "" : Colours.END).append(next);
            colour = next;
        }
    }

    /** Broken at blanks, where there are any. */
    private void words(String text) {
        int room = Math.max(LETTERS_MIN, columns);
        String rest = text;
        while (rest.length() > room && rest.lastIndexOf(' ', room) > 0) {
            int blank = rest.lastIndexOf(' ', room);
            out.append(rest, 0, blank).append('\n');
            rest = rest.substring(blank + 1);
        }
        out.append(rest).append(text.isEmpty() ? "" : "\n");
    }

    private static List<Sign> signs(PoolArea area) {
        List<Sign> signs = new ArrayList<>();
        for (Piece piece : area.pieces()) {
            switch (area.part()) {
                case "chunks" -> addChunk(piece, signs);
                case "pages" -> addPages(piece, signs);
                default -> signs.add(blocks(piece));
            }
        }
        return signs;
    }

    private static void addChunk(Piece piece, List<Sign> signs) {
        int level = Long.numberOfTrailingZeros(ROOT_BYTES / piece.bytes());
        switch (piece.state()) {
            case "USED" -> signs.add(new Sign(Character.toString('A' + level), Colours.USED));
            case "FREE" -> signs.add(new Sign(Character.toString('a' + level), Colours.FREE));
            case "COLD" -> signs.add(new Sign("-" + (char) ('a' + level), Colours.NONE));
            case "UNUSED" -> {} // counted
            default -> signs.add(new Sign("?", Colours.ISOLATED));
        }
    }

    private static void addPages(Piece piece, List<Sign> signs) {
        int count = (int) (piece.bytes() / GRANULE_BYTES);
        Sign sign =
                switch (piece.state()) {
                    case "USED" -> new Sign("t", Colours.USED);
                    case "FREE" -> new Sign("w", Colours.FREE);
                    case "DIRTY" -> new Sign("d", Colours.DIRTY);
                    case "COLD" -> NOTHING;
                    case "ISOLATED" -> new Sign("c", Colours.ISOLATED);
                    case "LOST" -> new Sign("x", Colours.NONE);
                    default -> new Sign("?", Colours.NONE);
                };
        signs.addAll(Collections.nCopies(count, sign));
        if (piece.state().equals("USED")) {
            signs.set(signs.size() - count, new Sign("T", Colours.USED));
        }
    }

    private static Sign blocks(Piece piece) {
        long tenths = TENTHS * piece.usedBytes() / piece.bytes();
        return switch (piece.state()) {
            case "USED" -> new Sign(tenths == TENTHS ? "#" : Long.toString(tenths), Colours.USED);
            case "FREE" -> new Sign("e", Colours.FREE);
            default -> NOTHING;
        };
    }
}
