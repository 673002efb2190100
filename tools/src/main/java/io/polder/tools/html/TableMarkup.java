package io.polder.tools.html;

import io.polder.tools.html.DataTable.Column;
import io.polder.tools.html.DataTable.Kind;

import java.util.List;

/**
 * How a table is written: titles and names of rows are headers, for those who hear it. Each cell
 * has its title with it as well, for narrow windows, where a table is a list of its rows.
 */
final class TableMarkup {
    private TableMarkup() {}

    static void write(Markup out, DataTable table) {
        // Wide tables scroll by themselves; anyone who has no mouse scrolls them by the keyboard.
        out.open(
                "div class=\"scroll\" tabindex=\"0\" role=\"region\"",
                "aria-label",
                table.caption());
        out.open("table");
        out.element("caption", table.caption());
        out.open("thead").open("tr");
        for (Column column : table.columns()) {
            out.element("th", column.title(), "scope", "col", "class", style(column.kind()));
        }
        out.close().close();
        out.open("tbody");
        table.rows().forEach(row -> row(out, table.columns(), row));
        out.close().close().close();
    }

    private static void row(Markup out, List<Column> columns, List<String> row) {
        out.open("tr");
        out.element("th", row.getFirst(), "scope", "row");
        for (int i = 1; i < row.size(); i++) {
            Kind kind = columns.get(i).kind();
            String title = columns.get(i).title();
            if (kind == Kind.VERDICT && !row.get(i).isEmpty()) {
                boolean reached = row.get(i).equals(DataTable.REACHED);
                out.open("td", "class", style(kind), "data-title", title);
                out.element("span", row.get(i), "class", reached ? "reached" : "missed");
                out.close();
            } else {
                out.element("td", row.get(i), "class", style(kind), "data-title", title);
            }
        }
        out.close();
    }

    private static String style(Kind kind) {
        return switch (kind) {
            case WORDS -> "words";
            case NUMBER -> "number";
            case VERDICT -> "verdict";
        };
    }
}
