package io.polder.tools.html;

import java.util.List;
import java.util.Locale;

/** What a number is a number of, and how it is written for people. */
public enum Unit {
    /** Bytes, written with binary prefixes. */
    BYTES,
    /** Nanoseconds, written up to seconds. */
    NANOS,
    /** How many. */
    COUNT,
    /** A ratio: so many times. */
    TIMES,
    /** A part of a whole, 0 to 1, written in percent. */
    SHARE;

    private static final List<String> BINARY = List.of("B", "KiB", "MiB", "GiB", "TiB");
    private static final List<String> SECONDS = List.of("ns", "µs", "ms", "s");

    /** A value with its unit, in about three digits. */
    public String format(double value) {
        return switch (this) {
            case BYTES -> prefixed(value, 1024, BINARY);
            case NANOS -> prefixed(value, 1000, SECONDS);
            case COUNT -> isWhole(value) ? fixed(0, value) : significant(value);
            case TIMES -> significant(value) + "×";
            case SHARE -> fixed(1, value * 100) + "\u00a0%";
        };
    }

    /** Name in the script, which writes values in the same way. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    private static String prefixed(double value, int step, List<String> prefixes) {
        double scaled = value;
        int prefix = 0;
        while (Math.abs(scaled) >= step && prefix < prefixes.size() - 1) {
            scaled /= step;
            prefix++;
        }
        boolean whole = prefix == 0 && isWhole(scaled);
        return (whole ? fixed(0, scaled) : significant(scaled)) + " " + prefixes.get(prefix);
    }

    private static String significant(double value) {
        double size = Math.abs(value);
        return fixed(size < 10 ? 2 : size < 100 ? 1 : 0, value);
    }

    private static boolean isWhole(double value) {
        return value == Math.rint(value);
    }

    private static String fixed(int digits, double value) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }
}
