package io.polder.lab.report;

import io.polder.lab.harness.Quartiles;

import org.HdrHistogram.Histogram;

import java.util.Locale;

/** How numbers stand in tables. */
public final class Format {
    private static final double MIB = 1 << 20;

    private Format() {}

    /** As {@link String#format}, the same in every country. */
    @SuppressWarnings("AnnotateFormatMethod") // That would be one more library.
    public static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** A name of the code as names of metrics, tables and files have it. */
    public static String id(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** A number with so many digits behind the point. */
    public static String fixed(int digits, double value) {
        return text("%." + digits + "f", value);
    }

    /** Nanoseconds, with a digit where it means something. */
    public static String nanos(double nanos) {
        return fixed(nanos < 100 ? 1 : 0, nanos);
    }

    /** Nanoseconds as microseconds. */
    public static String micros(double nanos) {
        return fixed(nanos < 100_000 ? 1 : 0, nanos / 1e3);
    }

    /** A percentile of nanoseconds as microseconds. */
    public static String micros(Histogram nanos, double percentile) {
        return micros((double) nanos.getValueAtPercentile(percentile));
    }

    /** The longest of nanoseconds as microseconds. */
    public static String longest(Histogram nanos) {
        return micros((double) nanos.getMaxValue());
    }

    /** A ratio. */
    public static String times(double ratio) {
        return fixed(ratio < 10 ? 2 : 1, ratio) + "x";
    }

    /** A ratio with two digits behind the point. */
    public static String times2(double ratio) {
        return fixed(2, ratio) + "x";
    }

    /** Bytes as MiB. */
    public static String mebibytes(double bytes) {
        return fixed(0, bytes / MIB);
    }

    /** Bytes as MiB. */
    public static String mebibytes(long bytes) {
        return mebibytes((double) bytes);
    }

    /** Bytes as MiB, with so many digits behind the point. */
    public static String mebibytes(int digits, double bytes) {
        return fixed(digits, bytes / MIB);
    }

    /** A part of a whole. */
    public static String percent(double share) {
        return fixed(0, 100 * share) + " %";
    }

    /** Operations a second, in thousands. */
    public static String thousands(double perSecond) {
        return fixed(0, perSecond / 1e3);
    }

    /** What lies between the quartiles. */
    public static String spread(Quartiles quartiles, int digits) {
        return fixed(digits, quartiles.lower()) + "-" + fixed(digits, quartiles.upper());
    }
}
