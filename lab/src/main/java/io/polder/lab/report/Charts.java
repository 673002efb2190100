package io.polder.lab.report;

import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.harness.Quartiles;
import io.polder.tools.html.Bars;
import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Bars.Spread;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.Term;
import io.polder.tools.html.TimeLine.Line;
import io.polder.tools.html.TimeLine.Point;
import io.polder.tools.html.Tone;
import io.polder.tools.html.Unit;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/** Parts of charts, of what experiments measure. */
public final class Charts {
    private Charts() {}

    /** A bar with its quartiles and, if there is one, its goal. */
    public static Bar bar(Term what, Term whose, Tone tone, Quartiles figure, OptionalDouble goal) {
        Spread spread = new Spread(figure.lower(), figure.median(), figure.upper());
        return new Bar(what, whose, tone, spread, goal);
    }

    /** A bar with its quartiles. */
    public static Bar bar(Term what, Term whose, Tone tone, Quartiles figure) {
        return bar(what, whose, tone, figure, OptionalDouble.empty());
    }

    /** A library that malloc comes from. */
    public static Term term(MallocLibrary library) {
        return new Term(
                library.id(),
                switch (library) {
                    case GLIBC -> "Malloc of the C library, as it is without any setting.";
                    case JEMALLOC -> "Malloc of jemalloc, which is loaded before the C library.";
                    case MIMALLOC -> "Malloc of mimalloc, which is loaded before the C library.";
                    case TCMALLOC -> "TCMalloc of gperftools, loaded before the C library.";
                });
    }

    /** The tone of a library that malloc comes from, the same on every chart. */
    public static Tone tone(MallocLibrary library) {
        return switch (library) {
            case GLIBC -> Tone.A;
            case JEMALLOC -> Tone.B;
            case MIMALLOC -> Tone.C;
            case TCMALLOC -> Tone.D;
        };
    }

    /** Bars of ratios, theirs / ours, of which more is better for Polder. */
    public static Bars ratios(String title, List<Bar> bars) {
        Caption caption = new Caption(title, "Right of 1× Polder needs less.");
        return new Bars(caption, Bars.Scale.RATIO, Unit.TIMES, bars);
    }

    /** A ratio with two digits behind the point, as pages have it. */
    public static String times2(double ratio) {
        return Format.fixed(2, ratio) + "×";
    }

    /** A line through points in the order of time. */
    public static <P> Line line(
            Term what, Tone tone, List<P> points, ToDoubleFunction<P> x, ToDoubleFunction<P> y) {
        return new Line(
                what,
                tone,
                points.stream()
                        .map(point -> new Point(x.applyAsDouble(point), y.applyAsDouble(point)))
                        .toList());
    }

    /** The same where each point is one step from the one before. */
    public static <P> Line line(Term what, Tone tone, List<P> points, ToDoubleFunction<P> y) {
        List<Point> steps = new ArrayList<>();
        points.forEach(point -> steps.add(new Point(steps.size(), y.applyAsDouble(point))));
        return new Line(what, tone, steps);
    }
}
