package io.polder.tools.html;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

import java.util.ArrayList;
import java.util.List;

/**
 * How long things took: all percentiles, to the last one, on logarithmic scales.
 *
 * @param caption what it shows
 * @param curves at least one
 */
public record Latency(Caption caption, List<Curve> curves) implements Chart {
    /** Percentiles that tables show. */
    static final List<Double> PERCENTILES = List.of(50.0, 90.0, 99.0, 99.9, 99.99);

    /** Points for each halving of what is above: more cannot be told apart in a chart. */
    private static final int POINTS_PER_HALVING = 4;

    /**
     * Copies the list.
     *
     * @throws IllegalArgumentException if there is no curve
     */
    public Latency {
        curves = List.copyOf(curves);
        if (curves.isEmpty()) {
            throw new IllegalArgumentException("latencies have a curve: caption=" + caption);
        }
    }

    @Override
    public List<Term> terms() {
        return curves.stream().map(Curve::what).distinct().toList();
    }

    /**
     * A point of a curve.
     *
     * @param percentile 0 to 100
     * @param nanos so many were not longer
     */
    public record Point(double percentile, double nanos) {}

    /**
     * One kind of thing.
     *
     * @param what its name, beside the curve
     * @param tone of the curve
     * @param points by percentile; the last one is the worst, at 100
     * @param table at {@link #PERCENTILES} and the worst
     */
    public record Curve(Term what, Tone tone, List<Point> points, List<Double> table) {
        /** Copies the lists. */
        public Curve {
            points = List.copyOf(points);
            table = List.copyOf(table);
        }

        /**
         * A curve of nanoseconds that were recorded.
         *
         * @throws IllegalArgumentException if there are none
         */
        public static Curve of(Term what, Tone tone, Histogram nanos) {
            if (nanos.getTotalCount() == 0) {
                throw new IllegalArgumentException(
                        "a curve has recorded values: name=" + what.name());
            }
            List<Point> points = new ArrayList<>();
            for (HistogramIterationValue value : nanos.percentiles(POINTS_PER_HALVING)) {
                points.add(
                        new Point(
                                value.getPercentileLevelIteratedTo(),
                                (double) value.getValueIteratedTo()));
            }
            List<Double> table = new ArrayList<>();
            PERCENTILES.forEach(
                    percentile -> table.add((double) nanos.getValueAtPercentile(percentile)));
            table.add((double) nanos.getMaxValue());
            return new Curve(what, tone, points, table);
        }

        /** The same with a name that says it all. */
        public static Curve of(String name, Tone tone, Histogram nanos) {
            return of(Term.of(name), tone, nanos);
        }

        /** Its name. */
        public String name() {
            return what.name();
        }

        double worst() {
            return table.getLast();
        }

        double median() {
            return table.getFirst();
        }
    }
}
