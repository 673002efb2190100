package io.polder.event;

/**
 * Names that others chose, as they may be printed: on one line, and steering no terminal. The agent
 * and the tools have one of their own: this room is exported to nobody, and they need no library.
 */
public final class Printable {
    private Printable() {}

    /** A name with what is not to be printed written as Java does, {@code \\u001b}. */
    public static String of(String name) {
        StringBuilder out = new StringBuilder();
        int c;
        for (int at = 0; at < name.length(); at += Character.charCount(c)) {
            c = name.codePointAt(at);
            if (steers(Character.getType(c))) {
                out.append(String.format("\\u%04x", c));
            } else {
                out.appendCodePoint(c);
            }
        }
        return out.toString();
    }

    /** Control characters, ends of lines, and those that change the direction of what follows. */
    private static boolean steers(int type) {
        return type == Character.CONTROL
                || type == Character.FORMAT
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR
                || type == Character.SURROGATE;
    }
}
