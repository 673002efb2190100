package io.polder.lab.report;

import io.polder.lab.harness.Quartiles;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One measured figure, under a name that stays the same from version to version.
 *
 * @param name dotted, beginning with the experiment's name
 * @param value finite
 * @param quartiles of the sample that it is the median of; all the value if there is none
 * @param unit of the value; {@link #TIMES} for ratios
 * @param better which direction is good
 */
public record Metric(String name, double value, Quartiles quartiles, String unit, Better better) {
    /** Unit of a ratio: so many times. */
    public static final String TIMES = "x";

    /** Which direction of a metric is good. */
    public enum Better {
        /** More is good. */
        HIGHER,
        /** Less is good. */
        LOWER
    }

    /**
     * Checks the value.
     *
     * @throws IllegalArgumentException if the value is not finite
     */
    public Metric {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException(
                    "a metric must be finite: name=" + name + ", value=" + value);
        }
    }

    /** A figure that is no median. */
    public Metric(String name, double value, String unit, Better better) {
        this(name, value, new Quartiles(value, value, value), unit, better);
    }

    /** The median of a sample. */
    public Metric(String name, Quartiles quartiles, String unit, Better better) {
        this(name, quartiles.median(), quartiles, unit, better);
    }

    /**
     * The value of one of several metrics.
     *
     * @throws IllegalArgumentException if there is none of this name
     */
    public static double value(List<Metric> metrics, String name) {
        return metrics.stream()
                .filter(metric -> metric.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such metric: name=" + name))
                .value;
    }

    /** The form in which results keep it. */
    Map<String, Object> toJson(boolean busy) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("value", value);
        json.put("unit", unit);
        json.put("better", better == Better.HIGHER ? "higher" : "lower");
        if (quartiles.lower() < quartiles.upper()) {
            json.put("quartiles", List.of(quartiles.lower(), quartiles.upper()));
        }
        json.put("busy", busy);
        return json;
    }
}
