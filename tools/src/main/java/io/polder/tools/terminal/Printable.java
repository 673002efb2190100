package io.polder.tools.terminal;

/**
 * Text from class files, jars, file systems and other processes, made harmless. The person who
 * wrote it chose it: it can hold what moves a terminal's cursor, or reverses the order in which
 * text is read. The library and the agent have one of their own: the tools are compiled against
 * neither, so that {@code ./polder scan} waits for no build of theirs.
 */
public final class Printable {
    private Printable() {}

    /** One line: an escape, as in Java sources, for each character that prints nothing. */
    public static String of(String text) {
        return escape(text, false);
    }

    /** The same of a text of several lines, whose ends stay. */
    public static String lines(String text) {
        return escape(text, true);
    }

    private static String escape(String text, boolean keepLines) {
        StringBuilder printable = null;
        for (int i = 0; i < text.length(); ) {
            int codePoint = text.codePointAt(i);
            int next = i + Character.charCount(codePoint);
            if (!isHarmless(codePoint) && !(keepLines && codePoint == '\n')) {
                printable = printable == null ? new StringBuilder(text.substring(0, i)) : printable;
                for (int j = i; j < next; j++) {
                    printable.append("\\u%04x".formatted((int) text.charAt(j)));
                }
            } else if (printable != null) {
                printable.appendCodePoint(codePoint);
            }
            i = next;
        }
        return printable == null ? text : printable.toString();
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
