package io.polder.lab.report;

import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Metric.Better;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * The metrics of an experiment, or of a part of it: each name once, with its unit, which direction
 * is good, and how the value comes from what was found.
 *
 * @param <R> what was found
 */
public final class Metrics<R> {
    private final List<Definition<R>> all = new ArrayList<>();

    private record Definition<R>(
            String name, String unit, Better better, Function<? super R, Quartiles> value) {
        Metric of(R found) {
            return new Metric(name, value.apply(found), unit, better);
        }
    }

    /** Adds the median of a sample. */
    public Metrics<R> median(
            String name, String unit, Better better, Function<? super R, Quartiles> value) {
        all.add(new Definition<>(name, unit, better, value));
        return this;
    }

    /** Adds a ratio, theirs / ours: the median over the rounds. */
    public Metrics<R> ratio(String name, Function<? super R, Quartiles> value) {
        return median(name, Metric.TIMES, Better.HIGHER, value);
    }

    /** Adds a figure that is no median, of which less is good. */
    public Metrics<R> lower(String name, String unit, ToDoubleFunction<? super R> value) {
        return median(name, unit, Better.LOWER, exactly(value));
    }

    /** Adds a figure that is no median, of which more is good. */
    public Metrics<R> higher(String name, String unit, ToDoubleFunction<? super R> value) {
        return median(name, unit, Better.HIGHER, exactly(value));
    }

    /** Names of all, in order. */
    public List<String> names() {
        return all.stream().map(Definition::name).toList();
    }

    /** All of them, of what was found. */
    public List<Metric> of(R found) {
        return all.stream().map(definition -> definition.of(found)).toList();
    }

    private static <R> Function<R, Quartiles> exactly(ToDoubleFunction<? super R> value) {
        return found -> {
            double exact = value.applyAsDouble(found);
            return new Quartiles(exact, exact, exact);
        };
    }
}
