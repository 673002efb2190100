package io.polder.tools.html;

import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Bars.Scale;
import io.polder.tools.html.Bars.Spread;

import java.util.List;
import java.util.Locale;

/**
 * How bars are written: a table, with the bar of each row as a drawing in a cell. All drawings are
 * as wide as their column, so they have one scale, however wide the window is; text is not scaled
 * with them.
 */
final class BarsMarkup {
    private BarsMarkup() {}

    /** Which columns there are besides names, bars and figures. */
    private record Columns(boolean who, boolean spreads, boolean goals) {
        static Columns of(List<Bar> bars) {
            return new Columns(
                    bars.stream().anyMatch(bar -> !bar.who().isEmpty()),
                    bars.stream().anyMatch(bar -> bar.spread().isKnown()),
                    bars.stream().anyMatch(bar -> bar.goal().isPresent()));
        }
    }

    static void write(Markup out, Bars bars) {
        BarScale scale = new BarScale(bars);
        Columns columns = Columns.of(bars.bars());
        // In narrow windows rows are not laid out as rows any more; roles say that they still are.
        out.open("table class=\"bars\" role=\"table\"");
        out.element("caption class=\"unseen\"", bars.caption().title());
        out.open("thead");
        titles(out, bars, scale, columns);
        out.close().open("tbody");
        for (int i = 0; i < bars.bars().size(); i++) {
            row(out, bars, i, scale, columns);
        }
        out.close().close();
    }

    private static void titles(Markup out, Bars bars, BarScale scale, Columns columns) {
        out.open("tr role=\"row\"");
        title(out, "", "words");
        if (columns.who()) {
            title(out, "", "words");
        }
        out.open("th role=\"columnheader\" scope=\"col\" class=\"axis\"");
        axis(out, bars, scale);
        out.close();
        title(out, bars.scale() == Scale.RATIO ? "ratio" : "", "number");
        if (columns.spreads()) {
            title(out, "quartiles", "spread");
        }
        if (columns.goals()) {
            title(out, "goal", "goal");
        }
        out.close();
    }

    private static void title(Markup out, String text, String style) {
        out.element("th role=\"columnheader\" scope=\"col\"", text, "class", style);
    }

    private static void row(Markup out, Bars bars, int index, BarScale scale, Columns columns) {
        Bar bar = bars.bars().get(index);
        String label = bar.label();
        boolean first = index == 0 || !bars.bars().get(index - 1).label().equals(label);
        out.open("tr role=\"row\"", "class", first ? "first" : "more");
        if (first) {
            String rows = Integer.toString(sameLabel(bars.bars(), index));
            out.element(
                    "th role=\"rowheader\" scope=\"rowgroup\"",
                    label,
                    "title",
                    label,
                    "rowspan",
                    rows);
        }
        if (columns.who()) {
            cell(out, bar.who(), "words");
        }
        out.open("td role=\"cell\" class=\"axis\"");
        drawing(out, bar, scale);
        out.close();
        numbers(out, bars.unit(), bar, columns);
        out.close();
    }

    private static void cell(Markup out, String text, String style) {
        out.element("td role=\"cell\"", text, "class", style);
    }

    private static int sameLabel(List<Bar> bars, int from) {
        int to = from;
        while (to < bars.size() && bars.get(to).label().equals(bars.get(from).label())) {
            to++;
        }
        return to - from;
    }

    private static void numbers(Markup out, Unit unit, Bar bar, Columns columns) {
        Spread spread = bar.spread();
        cell(out, unit.format(spread.value()), "number");
        if (columns.spreads()) {
            String quartiles = unit.format(spread.lower()) + " – " + unit.format(spread.upper());
            cell(out, spread.isKnown() ? quartiles : "", "number spread");
        }
        if (columns.goals()) {
            out.open("td role=\"cell\" class=\"goal\"");
            if (bar.goal().isPresent()) {
                double goal = bar.goal().getAsDouble();
                boolean reached = spread.value() >= goal;
                out.text("≥ " + unit.format(goal) + " ");
                out.element(
                        "span",
                        reached ? DataTable.REACHED : DataTable.MISSED,
                        "class",
                        reached ? "reached" : "missed");
            }
            out.close();
        }
    }

    private static void axis(Markup out, Bars bars, BarScale scale) {
        out.open("svg height=\"18\" aria-hidden=\"true\"");
        for (double tick : scale.ticks()) {
            double at = scale.at(tick);
            String anchor = at < 4 ? "start" : at > 96 ? "end" : "middle";
            String label = tickLabel(bars.unit(), tick);
            out.element("text y=\"13\"", label, "x", percent(at), "text-anchor", anchor);
        }
        out.close();
    }

    private static void drawing(Markup out, Bar bar, BarScale scale) {
        Spread spread = bar.spread();
        out.open("svg height=\"22\" aria-hidden=\"true\"");
        for (double tick : scale.ticks()) {
            boolean origin = scale.at(tick) == scale.origin();
            line(out, origin ? "origin" : "grid", scale.at(tick), 0, 22);
        }
        double from = Math.min(scale.origin(), scale.at(spread.value()));
        double to = Math.max(scale.origin(), scale.at(spread.value()));
        out.verbatim(
                "<rect class=\"bar fill-%s\" x=\"%s\" y=\"5\" width=\"%s\" height=\"12\"></rect>"
                        .formatted(
                                bar.tone().id(), percent(from), percent(Math.max(to - from, 0.2))));
        if (spread.isKnown()) {
            line(out, "whisker", scale.at(spread.lower()), scale.at(spread.upper()), 11, 11);
            line(out, "whisker", scale.at(spread.lower()), 8, 14);
            line(out, "whisker", scale.at(spread.upper()), 8, 14);
        }
        bar.goal().ifPresent(goal -> line(out, "goal", scale.at(goal), 1, 21));
        out.close();
    }

    private static void line(Markup out, String style, double at, int from, int to) {
        line(out, style, at, at, from, to);
    }

    private static void line(Markup out, String style, double x1, double x2, int y1, int y2) {
        out.verbatim(
                "<line class=\"%s\" x1=\"%s\" x2=\"%s\" y1=\"%d\" y2=\"%d\"></line>"
                        .formatted(style, percent(x1), percent(x2), y1, y2));
    }

    private static String tickLabel(Unit unit, double tick) {
        return switch (unit) {
            case TIMES -> number(tick) + "×";
            case SHARE -> number(tick * 100) + " %";
            case COUNT, BYTES, NANOS ->
                    unit.format(tick).replaceAll("(\\.\\d*?)0+(?=\\D|$)", "$1").replace(". ", " ");
        };
    }

    private static String number(double value) {
        return Math.abs(value - Math.rint(value)) < 1e-9
                ? String.format(Locale.ROOT, "%.0f", value)
                : String.format(Locale.ROOT, "%.3g", value).replaceAll("0+$", "");
    }

    private static String percent(double value) {
        return String.format(Locale.ROOT, "%.2f%%", value);
    }
}
