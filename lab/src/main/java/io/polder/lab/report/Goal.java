package io.polder.lab.report;

import io.polder.tools.terminal.Table;
import io.polder.tools.terminal.Table.Align;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A figure that was to be reached, and whether it was.
 *
 * @param what the figure is
 * @param target what it was to be, as ">= 6.0x"
 * @param measured what it is, with its unit
 * @param reached whether that is good enough
 */
public record Goal(String what, String target, String measured, boolean reached) {
    /** Whether it was reached, in one word. */
    public String verdict() {
        return reached ? "reached" : "missed";
    }

    /** A table of some of them. */
    public static String table(List<Goal> goals) {
        Table table =
                new Table()
                        .column("goal", Align.LEFT)
                        .column("", Align.RIGHT)
                        .column("measured", Align.RIGHT)
                        .column("", Align.LEFT);
        for (Goal goal : goals) {
            table.row(goal.what, plain(goal.target), plain(goal.measured), goal.verdict());
        }
        return table.text();
    }

    /** The form in which results keep it. */
    Map<String, Object> toJson(boolean busy) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("what", what);
        json.put("target", plain(target));
        json.put("measured", plain(measured));
        json.put("reached", reached);
        json.put("busy", busy);
        return json;
    }

    /** Figures as every terminal can write them, and as metrics write their units. */
    private static String plain(String figure) {
        return figure.replace('×', 'x').replace('µ', 'u').replace('\u00a0', ' ');
    }
}
