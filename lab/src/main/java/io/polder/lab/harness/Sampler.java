package io.polder.lab.harness;

import org.HdrHistogram.Histogram;

/**
 * Hears what is measured: the parent of a measuring JVM, to which {@link MeasuringMain} writes it,
 * or {@link Findings}, which keep it.
 */
public interface Sampler {
    /** One value of a figure; those of several figures with the same number are one round. */
    void sample(String name, double value);

    /** The same of a number, far below 2^53. */
    default void count(String name, long value) {
        sample(name, (double) value);
    }

    /** Many values of a figure, in nanoseconds. */
    void latencies(String name, Histogram nanos);

    /** Figures that belong together, of one moment. */
    void point(Record values);

    /** What is no figure. */
    void text(String name, String text);

    /** How much of the work is done, 0 to 1. */
    void progress(double share);
}
