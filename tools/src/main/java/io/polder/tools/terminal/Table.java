package io.polder.tools.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A table in plain text, two spaces between its columns. */
public final class Table {
    private static final String GAP = "  ";

    private final List<Column> columns;
    private final List<List<String>> rows = new ArrayList<>();

    /** Where the cells of a column stand. */
    public enum Align {
        /** Words. */
        LEFT,
        /** Numbers. */
        RIGHT
    }

    private record Column(String title, Align align) {}

    /** Creates a table without columns. */
    public Table() {
        columns = new ArrayList<>();
    }

    /** Creates a table with the columns of another one, and without rows. */
    Table(Table other) {
        columns = new ArrayList<>(other.columns);
    }

    /** Adds a column to the right. */
    public Table column(String title, Align align) {
        columns.add(new Column(title, align));
        return this;
    }

    /**
     * Adds a row.
     *
     * @throws IllegalArgumentException if it has not one cell for each column
     */
    public Table row(String... cells) {
        if (cells.length != columns.size()) {
            throw new IllegalArgumentException(
                    "a row has one cell for each column: cells="
                            + cells.length
                            + ", columns="
                            + columns.size());
        }
        rows.add(List.of(cells));
        return this;
    }

    /** The table with its titles, a rule below them, and a line end after each row. */
    public String text() {
        List<String> titles = columns.stream().map(Column::title).toList();
        int[] widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            int column = i;
            widths[i] =
                    Math.max(
                            titles.get(i).length(),
                            rows.stream()
                                    .mapToInt(row -> row.get(column).length())
                                    .max()
                                    .orElse(0));
        }
        StringBuilder text = new StringBuilder();
        line(text, titles, widths);
        List<String> rule = new ArrayList<>();
        for (int width : widths) {
            rule.add("-".repeat(width));
        }
        line(text, rule, widths);
        rows.forEach(row -> line(text, row, widths));
        return text.toString();
    }

    private void line(StringBuilder text, List<String> cells, int[] widths) {
        List<String> padded = new ArrayList<>();
        for (int i = 0; i < widths.length; i++) {
            String space = " ".repeat(widths[i] - cells.get(i).length());
            padded.add(
                    columns.get(i).align() == Align.LEFT
                            ? cells.get(i) + space
                            : space + cells.get(i));
        }
        text.append(padded.stream().collect(Collectors.joining(GAP)).stripTrailing()).append('\n');
    }
}
