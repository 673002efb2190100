package io.polder.lab.evacuation;

import org.HdrHistogram.Histogram;

import java.io.PrintStream;

/**
 * What a measuring JVM writes for its parent: lines that {@link Findings} reads.
 *
 * <p>Not thread-safe.
 */
final class Reporter {
    private final PrintStream parent;

    private Reporter(PrintStream parent) {
        this.parent = parent;
    }

    /** The only one who writes to stdout from now on; whatever else is written goes to stderr. */
    static Reporter ofThisProcess() {
        Reporter reporter = new Reporter(System.out);
        System.setOut(System.err);
        return reporter;
    }

    /** One value of a figure. */
    void sample(String name, double value) {
        parent.println(Findings.sampleLine(name, value));
    }

    /** The same of a number, far below 2^53. */
    void count(String name, long value) {
        sample(name, (double) value);
    }

    /** Many values of a figure, in nanoseconds. */
    void latencies(String name, Histogram nanos) {
        parent.println(Findings.latenciesLine(name, nanos));
    }

    /** A moment of the size-shift workload. */
    void point(ShiftPoint point) {
        parent.println(Findings.pointLine(point));
    }

    /** How much of the work is done, 0 to 1. */
    void progress(double share) {
        parent.println(Findings.progressLine(share));
        parent.flush();
    }

    /** Nothing is missing. */
    void done() {
        parent.println(Findings.DONE);
        parent.flush();
    }
}
