package io.polder.tools.live;

/**
 * The map of a pool in lines that fit a terminal. Letters go on in the next line, below those
 * before them:
 *
 * <pre>{@code
 *   0x7f5500000000  12K  MmlkJ-iMml
 *                        kJ-i
 * }</pre>
 */
final class WrappedMap {
    /** So narrow a terminal shows nothing anyway. */
    private static final int LETTERS_MIN = 8;

    private WrappedMap() {}

    static String of(String map, int columns) {
        StringBuilder out = new StringBuilder();
        for (String line : map.split("\n", -1)) {
            int letters = line.startsWith("0x") ? line.lastIndexOf("  ") + 2 : 0;
            if (letters > 2) {
                letters(out, line, letters, Math.max(LETTERS_MIN, columns - letters));
            } else {
                words(out, line, Math.max(LETTERS_MIN, columns));
            }
            out.append('\n');
        }
        out.setLength(out.length() - 1);
        return out.toString();
    }

    private static void letters(StringBuilder out, String line, int start, int room) {
        out.append(line, 0, start);
        int end = cut(line, start, room);
        out.append(line, start, end);
        while (end < line.length()) {
            int from = end;
            end = cut(line, from, room);
            out.append('\n').append(" ".repeat(start)).append(line, from, end);
        }
    }

    /** Where a line ends; never between a minus and the letter that it says to be cold. */
    private static int cut(String line, int from, int room) {
        if (line.length() - from <= room) {
            return line.length();
        }
        int end = from + room;
        return line.charAt(end - 1) == '-' ? end - 1 : end;
    }

    /** At blanks, where there are any. */
    private static void words(StringBuilder out, String line, int room) {
        String rest = line;
        while (rest.length() > room) {
            int blank = rest.lastIndexOf(' ', room);
            if (blank <= 0) {
                break;
            }
            out.append(rest, 0, blank).append('\n');
            rest = rest.substring(blank + 1);
        }
        out.append(rest);
    }
}
