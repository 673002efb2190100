package io.polder.lab.experiment;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One measured figure, under a name that stays the same from version to version.
 *
 * @param name dotted, beginning with the experiment's name
 * @param value finite
 * @param unit of the value; {@link #TIMES} for ratios
 * @param better which direction is good
 */
public record Metric(String name, double value, String unit, Better better) {
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

    /** The form in which results keep it. */
    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("value", value);
        json.put("unit", unit);
        json.put("better", better == Better.HIGHER ? "higher" : "lower");
        return json;
    }
}
