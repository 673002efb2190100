package io.polder.tools.terminal;

import io.polder.tools.terminal.Table.Align;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The columns of a {@link Table} whose rows are things of one kind: each with its title and with
 * what it says of a thing, so that the two cannot come apart.
 *
 * @param <T> what a row is about
 */
public final class Columns<T> {
    private final Table table = new Table();
    private final List<Function<? super T, String>> cells = new ArrayList<>();

    /** Adds a column of words to the right. */
    public Columns<T> words(String title, Function<? super T, String> cell) {
        return column(title, Align.LEFT, cell);
    }

    /** Adds a column of numbers to the right. */
    public Columns<T> number(String title, Function<? super T, String> cell) {
        return column(title, Align.RIGHT, cell);
    }

    /** The table of some things, as {@link Table#text} says. */
    public String table(Iterable<? extends T> rows) {
        Table text = new Table(table);
        for (T row : rows) {
            text.row(cells.stream().map(cell -> cell.apply(row)).toArray(String[]::new));
        }
        return text.text();
    }

    private Columns<T> column(String title, Align align, Function<? super T, String> cell) {
        table.column(title, align);
        cells.add(cell);
        return this;
    }
}
