package io.polder.agent.census;

/**
 * Text in columns. Written out rather than by {@link java.util.Formatter}, which first loads what a
 * locale has to say about digits: half of the time that the shortest program takes.
 */
final class Columns {
    private final StringBuilder text = new StringBuilder();

    /** Appends as it is. */
    Columns plain(String part) {
        text.append(part);
        return this;
    }

    /** Appends at the left of a column, and a space. */
    Columns left(String part, int width) {
        text.append(part);
        pad(width - part.length());
        text.append(' ');
        return this;
    }

    /** Appends at the right of a column, and a space. */
    Columns right(String part, int width) {
        pad(width - part.length());
        text.append(part).append(' ');
        return this;
    }

    /** Appends a number at the right of a column, and a space. */
    Columns right(long number, int width) {
        return right(grouped(number), width);
    }

    /** Ends the line, without what is blank at its end. */
    Columns line() {
        int length = text.length();
        while (length > 0 && text.charAt(length - 1) == ' ') {
            length--;
        }
        text.setLength(length);
        text.append('\n');
        return this;
    }

    private void pad(int count) {
        for (int i = 0; i < count; i++) {
            text.append(' ');
        }
    }

    /** With a comma after each thousand. */
    static String grouped(long number) {
        StringBuilder grouped = new StringBuilder(Long.toString(number));
        for (int at = grouped.length() - 3; at > (number < 0 ? 1 : 0); at -= 3) {
            grouped.insert(at, ',');
        }
        return grouped.toString();
    }

    /** A number of tenths, with a point. */
    static String tenths(long tenths) {
        return tenths / 10 + "." + tenths % 10;
    }

    /** A share of a whole; what is neither nothing nor all is not rounded to it. */
    static String percent(long part, long whole) {
        if (whole == 0) {
            return "-";
        }
        long tenths = Math.round(1000.0 * part / whole);
        if (part != 0 && tenths == 0) {
            return "<0.1";
        }
        if (part != whole && tenths == 1000) {
            return ">99.9";
        }
        return tenths(tenths);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
