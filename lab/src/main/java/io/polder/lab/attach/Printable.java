package io.polder.lab.attach;

/** Text of another process as it may be printed on a terminal: without anything that steers it. */
public final class Printable {
    private Printable() {}

    /** A text of several lines. */
    public static String text(String text) {
        return escape(text, true);
    }

    /** A text that must stay one line. */
    public static String line(String text) {
        return escape(text, false);
    }

    private static String escape(String text, boolean lines) {
        StringBuilder out = new StringBuilder();
        text.codePoints()
                .forEach(
                        c -> {
                            if ((c == '\n' && lines) || !steers(c)) {
                                out.appendCodePoint(c);
                            } else {
                                out.append("\\u%04x".formatted(c));
                            }
                        });
        return out.toString();
    }

    /** Control characters, and those that change the direction of what follows. */
    private static boolean steers(int c) {
        int type = Character.getType(c);
        return type == Character.CONTROL
                || type == Character.FORMAT
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR
                || type == Character.SURROGATE;
    }
}
