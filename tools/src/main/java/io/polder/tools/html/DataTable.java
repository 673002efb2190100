package io.polder.tools.html;

import java.util.ArrayList;
import java.util.List;

/**
 * A table with a title for each column. The first column names the rows.
 *
 * @param caption what it is a table of
 * @param columns from left to right, at least one
 * @param rows of one cell for each column
 */
public record DataTable(String caption, List<Column> columns, List<List<String>> rows)
        implements Block {
    /** Stands in a {@link Kind#VERDICT} column for a goal that was reached. */
    public static final String REACHED = "reached";

    /** Stands in a {@link Kind#VERDICT} column for a goal that was missed. */
    public static final String MISSED = "missed";

    /** What the cells of a column are. */
    public enum Kind {
        /** Words, from the left. */
        WORDS,
        /** Numbers with their units, under each other. */
        NUMBER,
        /** {@link #REACHED}, {@link #MISSED} or nothing: a word, a mark and a colour. */
        VERDICT
    }

    /**
     * A column.
     *
     * @param title with the unit if all cells have the same
     * @param kind of its cells
     */
    public record Column(String title, Kind kind) {}

    /**
     * Copies the lists.
     *
     * @throws IllegalArgumentException if there is no column, or a row has not one cell for each
     */
    public DataTable {
        columns = List.copyOf(columns);
        List<List<String>> copies = new ArrayList<>();
        for (List<String> row : rows) {
            if (columns.isEmpty() || row.size() != columns.size()) {
                throw new IllegalArgumentException(
                        "a row has one cell for each column: cells="
                                + row.size()
                                + ", columns="
                                + columns.size());
            }
            copies.add(List.copyOf(row));
        }
        rows = List.copyOf(copies);
    }

    /** Words in the first column, numbers in all others. */
    public static DataTable ofNumbers(
            String caption, List<String> titles, List<List<String>> rows) {
        List<Column> columns = new ArrayList<>();
        for (String title : titles) {
            columns.add(new Column(title, columns.isEmpty() ? Kind.WORDS : Kind.NUMBER));
        }
        return new DataTable(caption, columns, rows);
    }
}
