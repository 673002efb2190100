package io.polder.lab.report;

import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.harness.Quartiles;
import io.polder.tools.html.Bars;
import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Bars.Spread;
import io.polder.tools.html.Chart.Caption;
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
    public static Bar bar(
            String label, String who, Tone tone, Quartiles figure, OptionalDouble goal) {
        Spread spread = new Spread(figure.lower(), figure.median(), figure.upper());
        return new Bar(label, who, tone, spread, goal);
    }

    /** A bar with its quartiles. */
    public static Bar bar(String label, String who, Tone tone, Quartiles figure) {
        return bar(label, who, tone, figure, OptionalDouble.empty());
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
            String name, Tone tone, List<P> points, ToDoubleFunction<P> x, ToDoubleFunction<P> y) {
        return new Line(
                name,
                tone,
                points.stream()
                        .map(point -> new Point(x.applyAsDouble(point), y.applyAsDouble(point)))
                        .toList());
    }

    /** The same where each point is one step from the one before. */
    public static <P> Line line(String name, Tone tone, List<P> points, ToDoubleFunction<P> y) {
        List<Point> steps = new ArrayList<>();
        points.forEach(point -> steps.add(new Point(steps.size(), y.applyAsDouble(point))));
        return new Line(name, tone, steps);
    }
}
