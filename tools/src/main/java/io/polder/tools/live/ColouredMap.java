package io.polder.tools.live;

/**
 * The map of a pool in colours.
 *
 * <pre>{@code
 *   legend of the chunks      A = 4 MiB, ...
 *   0x7f5500000000  12K  MmlkJ-i          one letter per chunk
 *                        kJ-i             wrapped by WrappedMap
 *   legend of the pages       2 MiB each ...
 *   0x7f5600000000  TttwdcT..             one letter per granule
 * }</pre>
 */
final class ColouredMap {
    private ColouredMap() {}

    static String of(String map) {
        StringBuilder out = new StringBuilder();
        boolean pages = false;
        for (String line : map.split("\n", -1)) {
            pages |= line.startsWith("2 MiB each");
            int letters = line.lastIndexOf("  ");
            if ((line.startsWith("0x") || line.startsWith("  ")) && letters >= 0) {
                out.append(line, 0, letters + 2);
                letters(out, line.substring(letters + 2), pages);
            } else {
                out.append(line);
            }
            out.append('\n');
        }
        out.setLength(out.length() - 1);
        return out.toString();
    }

    private static void letters(StringBuilder out, String letters, boolean pages) {
        String now = "";
        for (int i = 0; i < letters.length(); i++) {
            char letter = letters.charAt(i);
            boolean cold = letter == '-' || (i > 0 && letters.charAt(i - 1) == '-');
            String colour = pages ? ofPage(letter) : ofChunk(letter, cold);
            if (!colour.equals(now)) {
                out.append(now.isEmpty() ? "" : Colours.END).append(colour);
                now = colour;
            }
            out.append(letter);
        }
        out.append(now.isEmpty() ? "" : Colours.END);
    }

    private static String ofChunk(char letter, boolean cold) {
        if (cold) {
            return Colours.NONE;
        }
        return Character.isUpperCase(letter) ? Colours.USED : Colours.FREE;
    }

    private static String ofPage(char letter) {
        return switch (letter) {
            case 'T', 't' -> Colours.USED;
            case 'w' -> Colours.FREE;
            case 'd' -> Colours.DIRTY;
            case 'c' -> Colours.ISOLATED;
            default -> Colours.NONE;
        };
    }
}
