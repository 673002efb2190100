package io.polder.tools.html;

import io.polder.tools.result.Json;

import java.util.List;
import java.util.Locale;

/**
 * Data for the script of a page, as JSON inside a {@code script} element.
 *
 * <p>HTML ends such an element at the first {@code </script}, whatever the JSON means by it, and
 * treats {@code <!--} specially. So every angle bracket and ampersand is written as an escape of
 * JSON, as are the two line separators that JavaScript once did not allow in strings.
 */
final class ScriptData {
    private ScriptData() {}

    /**
     * A line of a plot.
     *
     * @param tone name of its colour
     * @param x see {@link #numbers}
     * @param y the same for the other axis
     */
    record Line(String name, String tone, Object x, Object y) {
        static Line of(String name, Tone tone, List<Double> x, List<Double> y) {
            return new Line(name, tone.id(), numbers(x), numbers(y));
        }
    }

    /** JSON of a record that can stand in a {@code script} element. */
    static String json(Record data) {
        return escape(Json.write(data).strip());
    }

    /** Numbers on one line, in as many digits as a picture can show. */
    static Object numbers(List<Double> values) {
        StringBuilder text = new StringBuilder("[");
        for (double value : values) {
            if (text.length() > 1) {
                text.append(',');
            }
            text.append(number(value));
        }
        return Json.raw(text.append(']').toString());
    }

    private static String number(double value) {
        if (!Double.isFinite(value)) {
            return "null";
        }
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            return Long.toString((long) value);
        }
        return String.format(Locale.ROOT, "%.6g", value);
    }

    private static String escape(String json) {
        StringBuilder escaped = new StringBuilder(json.length());
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            switch (c) {
                case '<', '>', '&', '\u2028', '\u2029' ->
                        escaped.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
                default -> escaped.append(c);
            }
        }
        return escaped.toString();
    }
}
