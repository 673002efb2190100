package io.polder.tools.html;

import io.polder.tools.html.MemoryMap.Panel;
import io.polder.tools.html.MemoryMap.Piece;
import io.polder.tools.html.MemoryMap.Span;
import io.polder.tools.html.MemoryMap.State;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The map of a pool, read from its text: see {@code MemoryPool.map()}.
 *
 * <pre>{@code
 * 0x7f5500000000  12K  MmlkJ-i-h-g     chunks: A = 4 MiB, each next letter half as much; upper
 *                                      case in use, lower case free, after a dash without memory
 * 0x7f5500800000  TttwwdT..            pages, 2 MiB each: T begins one, t goes on with it, w free,
 *                                      d free and not zero, c isolated, dots without memory
 * }</pre>
 *
 * <p>Other lines are for people.
 */
public final class PoolMap {
    private static final Pattern CHUNKS =
            Pattern.compile("0x([0-9a-f]{1,16})  \\d+K  ([A-Ma-m?-]+)");
    private static final Pattern PAGES = Pattern.compile("0x([0-9a-f]{1,16})  ([Ttwdc.]+)");
    private static final long ROOT_BYTES = 4 << 20;
    private static final long CHUNK_BYTES_MIN = 1 << 10;
    private static final long GRANULE_BYTES = 2 << 20;

    private final List<Letters> chunks = new ArrayList<>();
    private final List<Letters> pages = new ArrayList<>();

    private PoolMap(String text) {
        for (String line : text.lines().toList()) {
            Matcher chunkLine = CHUNKS.matcher(line);
            Matcher pageLine = PAGES.matcher(line);
            if (chunkLine.matches()) {
                append(chunks, address(chunkLine), chunkLine.group(2), ROOT_BYTES);
            } else if (pageLine.matches()) {
                String letters = pageLine.group(2);
                long bytes = letters.length() * GRANULE_BYTES;
                append(pages, address(pageLine), letters, bytes);
            }
        }
    }

    /** Lines without a gap between their addresses. */
    private static final class Letters {
        private final long start;
        private final StringBuilder letters = new StringBuilder();
        private long end;

        Letters(long start) {
            this.start = start;
            this.end = start;
        }
    }

    /** The chunks that a text tells of; none if it tells of none. */
    public static Optional<Panel> chunks(String title, String text) {
        return panel(title, new PoolMap(text).chunks, PoolMap::chunkPieces);
    }

    /** The pages that a text tells of; none if it tells of none. */
    public static Optional<Panel> pages(String title, String text) {
        return panel(title, new PoolMap(text).pages, PoolMap::pagePieces);
    }

    private static Optional<Panel> panel(
            String title, List<Letters> lines, Function<String, List<Piece>> pieces) {
        List<Span> spans =
                lines.stream()
                        .map(line -> new Span(line.start, pieces.apply(line.letters.toString())))
                        .toList();
        return spans.isEmpty() ? Optional.empty() : Optional.of(new Panel(title, spans));
    }

    private static long address(Matcher line) {
        return Long.parseUnsignedLong(line.group(1), 16);
    }

    private static void append(List<Letters> lines, long start, String letters, long bytes) {
        if (lines.isEmpty() || lines.getLast().end != start) {
            lines.add(new Letters(start));
        }
        Letters last = lines.getLast();
        last.letters.append(letters);
        last.end += bytes;
    }

    private static List<Piece> chunkPieces(String letters) {
        List<Piece> pieces = new ArrayList<>();
        boolean bare = false;
        for (int i = 0; i < letters.length(); i++) {
            char letter = letters.charAt(i);
            if (letter == '-') {
                bare = true;
            } else if (letter == '?') {
                // The map of a pool that is broken: the smallest chunk, of which nothing is known.
                pieces.add(new Piece(State.ISOLATED, CHUNK_BYTES_MIN));
            } else {
                long bytes = ROOT_BYTES >> (Character.toLowerCase(letter) - 'a');
                State free = bare ? State.BARE : State.FREE;
                pieces.add(new Piece(Character.isUpperCase(letter) ? State.USED : free, bytes));
                bare = false;
            }
        }
        return pieces;
    }

    private static List<Piece> pagePieces(String letters) {
        List<Piece> pieces = new ArrayList<>();
        for (int i = 0; i < letters.length(); i++) {
            char letter = letters.charAt(i);
            if (letter == 't' && !pieces.isEmpty()) {
                long grown = pieces.removeLast().bytes() + GRANULE_BYTES;
                pieces.add(new Piece(State.USED, grown));
            } else {
                pieces.add(new Piece(state(letter), GRANULE_BYTES));
            }
        }
        return pieces;
    }

    private static State state(char letter) {
        return switch (letter) {
            case 'T', 't' -> State.USED;
            case 'w' -> State.FREE;
            case 'd' -> State.DIRTY;
            case 'c' -> State.ISOLATED;
            default -> State.BARE;
        };
    }
}
