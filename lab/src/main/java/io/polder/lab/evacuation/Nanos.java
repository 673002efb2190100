package io.polder.lab.evacuation;

import org.HdrHistogram.Histogram;

import java.util.concurrent.TimeUnit;

/** Histograms of nanoseconds, all of the same range, so that they can be added up. */
final class Nanos {
    /** Longer ones count as that long. */
    private static final long MAX = TimeUnit.SECONDS.toNanos(100);

    private static final int DIGITS = 3;

    private Nanos() {}

    /** An empty one. */
    static Histogram histogram() {
        return new Histogram(MAX, DIGITS);
    }

    /** Adds a value. */
    static void record(Histogram histogram, long nanos) {
        histogram.recordValue(Math.clamp(nanos, 1, MAX));
    }
}
