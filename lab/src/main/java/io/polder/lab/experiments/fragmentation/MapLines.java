package io.polder.lab.experiments.fragmentation;

import io.polder.lab.report.Report;

/** Lines of a map that fit a {@link Report}. */
final class MapLines {
    /** Letters on a line, behind an offset in KiB and two spaces. */
    static final int LETTERS = 90;

    private MapLines() {}

    /** A line of a map: the offset of its first chunk, and its letters. */
    static String line(long offset, CharSequence letters) {
        return "%6dK  %s".formatted(offset >> 10, letters);
    }

    /**
     * A text with its long lines broken. What follows stands below the last word of the line, and
     * no line is broken behind a dash, which belongs to the letter after it.
     */
    static String wrap(String text) {
        StringBuilder wrapped = new StringBuilder();
        for (String line : text.lines().toList()) {
            String rest = line;
            int indent = line.lastIndexOf(' ') + 1;
            while (rest.length() > Report.WIDTH) {
                int end = Report.WIDTH;
                if (rest.charAt(end - 1) == '-') {
                    end--;
                }
                wrapped.append(rest, 0, end).append('\n');
                rest = " ".repeat(indent) + rest.substring(end);
            }
            wrapped.append(rest).append('\n');
        }
        return wrapped.toString();
    }
}
