package io.polder.lab.experiments.evacuation;

import io.polder.lab.harness.Quartiles;

import org.HdrHistogram.Histogram;

import java.util.Locale;

/** How numbers stand in tables. */
final class Format {
    private static final int MIB_SHIFT = 20;

    private Format() {}

    static String fixed(int digits, double value) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }

    /** Nanoseconds, with a digit where it means something. */
    static String nanos(double nanos) {
        return fixed(nanos < 100 ? 1 : 0, nanos);
    }

    /** Nanoseconds as microseconds. */
    static String micros(double nanos) {
        return fixed(nanos < 100_000 ? 1 : 0, nanos / 1e3);
    }

    /** A percentile of nanoseconds as microseconds. */
    static String micros(Histogram nanos, double percentile) {
        return micros((double) nanos.getValueAtPercentile(percentile));
    }

    /** The longest of nanoseconds as microseconds. */
    static String longest(Histogram nanos) {
        return micros((double) nanos.getMaxValue());
    }

    static String times(double ratio) {
        return fixed(ratio < 10 ? 2 : 1, ratio) + "x";
    }

    static String mebibytes(double bytes) {
        return fixed(0, bytes / (1L << MIB_SHIFT));
    }

    static String mebibytes(long bytes) {
        return mebibytes((double) bytes);
    }

    static String percent(double share) {
        return fixed(0, 100 * share) + " %";
    }

    /** Operations a second, in thousands. */
    static String thousands(double perSecond) {
        return fixed(0, perSecond / 1e3);
    }

    static String spread(Quartiles quartiles, int digits) {
        return fixed(digits, quartiles.lower()) + "-" + fixed(digits, quartiles.upper());
    }
}
