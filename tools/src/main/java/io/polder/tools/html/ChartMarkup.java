package io.polder.tools.html;

import java.util.List;

/**
 * How a chart is written: a figure with its caption, the place where the script draws, what is to
 * be seen in words, and its figures as a table.
 *
 * <p>The script sets {@code data-drawn} on the figure when it has drawn: to {@code yes}, or to what
 * went wrong.
 */
final class ChartMarkup {
    /** More curves than this cannot be told apart in half the width; a guess. */
    private static final int CURVES_BESIDE_MAX = 4;

    private ChartMarkup() {}

    static void write(Markup out, Chart chart, String id, TermsMarkup terms) {
        List<Term> added = terms.begin(chart);
        String style = isWide(chart) ? "chart wide" : "chart";
        out.open("figure", "id", id, "class", style, "data-kind", kind(chart));
        out.open("figcaption");
        out.element("h3", chart.caption().title());
        if (!chart.note().isEmpty()) {
            out.element("p", chart.note());
        }
        out.close();
        switch (chart) {
            case Bars bars -> BarsMarkup.write(out, bars, terms);
            case TimeLine line -> {
                plot(out, TimeLineData.words(line), TimeLineData.of(line));
                figures(out, TimeLineData.table(line));
            }
            case Latency latency -> {
                plot(out, LatencyData.words(latency), LatencyData.of(latency));
                figures(out, LatencyData.table(latency));
            }
            case MemoryMap map -> {
                MapMarkup.write(out, map);
                figures(out, MapMarkup.table(map));
            }
        }
        terms.end(out, chart, added);
        out.close();
    }

    /** The place for a drawing and its data. The legend is filled by the script. */
    private static void plot(Markup out, String words, Record data) {
        out.element("div class=\"plot\" role=\"img\" tabindex=\"0\"", "", "aria-label", words);
        out.element("div class=\"legend\" aria-hidden=\"true\"", "");
        data(out, data);
    }

    static void data(Markup out, Record data) {
        out.open("script", "type", "application/json");
        out.verbatim(ScriptData.json(data));
        out.close();
    }

    private static void figures(Markup out, DataTable table) {
        out.open("details");
        out.element("summary", "Figures");
        TableMarkup.write(out, table);
        out.close();
    }

    /** Whether it has a row for itself, however wide the window is. */
    private static boolean isWide(Chart chart) {
        return switch (chart) {
            case TimeLine _ -> false;
            case Latency latency -> latency.curves().size() > CURVES_BESIDE_MAX;
            case Bars _, MemoryMap _ -> true;
        };
    }

    private static String kind(Chart chart) {
        return switch (chart) {
            case TimeLine _ -> "timeline";
            case Latency _ -> "latency";
            case Bars _ -> "bars";
            case MemoryMap _ -> "map";
        };
    }
}
