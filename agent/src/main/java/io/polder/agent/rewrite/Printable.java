package io.polder.agent.rewrite;

import java.util.HexFormat;

/**
 * Text that may be printed on a terminal. Names in class files can hold almost anything: what moves
 * a cursor, or reverses the order in which text is read. The library and the tools have one of
 * their own: nothing of the agent is compiled against the library, and the tools against neither.
 */
public final class Printable {
    private static final HexFormat HEX = HexFormat.of();

    private Printable() {}

    /** The text with an escape, as in Java sources, for each character that prints nothing. */
    public static String of(String text) {
        StringBuilder printable = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); ) {
            int codePoint = text.codePointAt(i);
            int next = i + Character.charCount(codePoint);
            if (isHarmless(codePoint)) {
                printable.appendCodePoint(codePoint);
            } else {
                for (int j = i; j < next; j++) {
                    printable.append("\\u").append(HEX.toHexDigits(text.charAt(j)));
                }
            }
            i = next;
        }
        return printable.toString();
    }

    private static boolean isHarmless(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                    false;
            default -> true;
        };
    }
}
