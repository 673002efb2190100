package io.polder.tools.html;

import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Bars.Scale;
import io.polder.tools.html.Bars.Spread;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How bars are written: a table, with the bar of each row as a drawing in a cell. All drawings are
 * as wide as their column, so they have one scale, however wide the window is; text is not scaled
 * with them.
 */
final class BarsMarkup {
    /** The least that a drawing has, as the style sheet says. */
    private static final double NARROW_PIXELS = 172;

    /** What a letter of a tick takes, with what lies between two ticks: digits at 12 pixels. */
    private static final double LETTER_PIXELS = 7.5;

    private final Markup out;
    private final Bars bars;
    private final TermsMarkup terms;
    private final BarScale scale;
    private final Columns columns;

    private BarsMarkup(Markup out, Bars bars, TermsMarkup terms) {
        this.out = out;
        this.bars = bars;
        this.terms = terms;
        this.scale = new BarScale(bars);
        this.columns = Columns.of(bars.bars());
    }

    /** Which columns there are besides names, bars and figures. */
    private record Columns(boolean who, boolean spreads, boolean goals) {
        static Columns of(List<Bar> bars) {
            return new Columns(
                    bars.stream().anyMatch(bar -> !bar.who().isEmpty()),
                    bars.stream().anyMatch(bar -> bar.spread().isKnown()),
                    bars.stream().anyMatch(bar -> bar.goal().isPresent()));
        }
    }

    static void write(Markup out, Bars bars, TermsMarkup terms) {
        new BarsMarkup(out, bars, terms).write();
    }

    private void write() {
        // In narrow windows rows are not laid out as rows any more; roles say that they still are.
        out.open("table class=\"bars\" role=\"table\"");
        out.element("caption class=\"unseen\"", bars.caption().title());
        out.open("thead");
        titles();
        out.close().open("tbody");
        for (int i = 0; i < bars.bars().size(); i++) {
            row(i);
        }
        out.close().close();
    }

    private void titles() {
        out.open("tr role=\"row\"");
        title("", "words");
        if (columns.who()) {
            title("", "words");
        }
        out.open("th role=\"columnheader\" scope=\"col\" class=\"axis\"");
        axis();
        out.close();
        title(bars.scale() == Scale.RATIO ? "ratio" : "", "number");
        if (columns.spreads()) {
            title("quartiles", "spread");
        }
        if (columns.goals()) {
            title("goal", "goal");
        }
        out.close();
    }

    private void title(String text, String style) {
        out.element("th role=\"columnheader\" scope=\"col\"", text, "class", style);
    }

    private void row(int index) {
        Bar bar = bars.bars().get(index);
        String label = bar.label();
        boolean first = index == 0 || !bars.bars().get(index - 1).label().equals(label);
        out.open("tr role=\"row\"", "class", first ? "first" : "more");
        if (first) {
            String rows = Integer.toString(sameLabel(bars.bars(), index));
            out.open("th role=\"rowheader\" scope=\"rowgroup\"", "title", label, "rowspan", rows);
            terms.write(out, bar.what());
            out.close();
        }
        if (columns.who()) {
            out.open("td role=\"cell\" class=\"words\"");
            terms.write(out, bar.whose());
            out.close();
        }
        out.open("td role=\"cell\" class=\"axis\"");
        drawing(bar);
        out.close();
        numbers(bar);
        out.close();
    }

    private void cell(String text, String style) {
        out.element("td role=\"cell\"", text, "class", style);
    }

    private static int sameLabel(List<Bar> bars, int from) {
        int to = from;
        while (to < bars.size() && bars.get(to).label().equals(bars.get(from).label())) {
            to++;
        }
        return to - from;
    }

    private void numbers(Bar bar) {
        Unit unit = bars.unit();
        Spread spread = bar.spread();
        cell(unit.format(spread.value()), "number");
        if (columns.spreads()) {
            String quartiles = unit.format(spread.lower()) + " – " + unit.format(spread.upper());
            cell(spread.isKnown() ? quartiles : "", "number spread");
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

    /**
     * Names of ticks, of which none sticks out at an end, and no two run into each other, however
     * narrow the drawing is: earlier ones win, the others are lines without a name.
     */
    private void axis() {
        out.open("svg height=\"18\" aria-hidden=\"true\"");
        List<Double> taken = new ArrayList<>(); // left, right, left, right, ...
        for (double tick : scale.ticks()) {
            String label = tickLabel(bars.unit(), tick);
            double at = scale.at(tick);
            double width = 100 * label.length() * LETTER_PIXELS / NARROW_PIXELS;
            boolean start = at < width / 2;
            boolean end = at > 100 - width / 2;
            double left = start ? at : end ? at - width : at - width / 2;
            if (isFree(taken, left, left + width)) {
                taken.addAll(List.of(left, left + width));
                String anchor = start ? "start" : end ? "end" : "middle";
                out.element("text y=\"13\"", label, "x", percent(at), "text-anchor", anchor);
            }
        }
        out.close();
    }

    private static boolean isFree(List<Double> taken, double left, double right) {
        for (int i = 0; i < taken.size(); i += 2) {
            if (left < taken.get(i + 1) && right > taken.get(i)) {
                return false;
            }
        }
        return true;
    }

    private void drawing(Bar bar) {
        Spread spread = bar.spread();
        out.open("svg height=\"22\" aria-hidden=\"true\"");
        for (double tick : scale.ticks()) {
            boolean origin = scale.at(tick) == scale.origin();
            line(origin ? "origin" : "grid", scale.at(tick), 0, 22);
        }
        double from = Math.min(scale.origin(), scale.at(spread.value()));
        double to = Math.max(scale.origin(), scale.at(spread.value()));
        out.verbatim(
                "<rect class=\"bar fill-%s\" x=\"%s\" y=\"5\" width=\"%s\" height=\"12\"></rect>"
                        .formatted(
                                bar.tone().id(), percent(from), percent(Math.max(to - from, 0.2))));
        if (spread.isKnown()) {
            line("whisker", scale.at(spread.lower()), scale.at(spread.upper()), 11, 11);
            line("whisker", scale.at(spread.lower()), 8, 14);
            line("whisker", scale.at(spread.upper()), 8, 14);
        }
        bar.goal().ifPresent(goal -> line("goal", scale.at(goal), 1, 21));
        out.close();
    }

    private void line(String style, double at, int from, int to) {
        line(style, at, at, from, to);
    }

    private void line(String style, double x1, double x2, int y1, int y2) {
        out.verbatim(
                "<line class=\"%s\" x1=\"%s\" x2=\"%s\" y1=\"%s\" y2=\"%s\"></line>"
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
