package io.polder.lab.experiment;

import java.util.List;

/**
 * What an experiment found: metrics for machines, text for people, pictures for a page.
 *
 * @param metrics in the order of {@link Experiment#metricNames()}
 * @param text tables and notes, at most {@value #WIDTH} columns wide
 * @param jvmArgs arguments of the JVMs that were measured
 * @param exhibit what a page shows of it
 */
public record Report(List<Metric> metrics, String text, List<String> jvmArgs, Exhibit exhibit) {
    /** Columns that fit a terminal. */
    public static final int WIDTH = 100;

    /** Copies the lists. */
    public Report {
        metrics = List.copyOf(metrics);
        jvmArgs = List.copyOf(jvmArgs);
    }

    /** What was found by an experiment without pictures. */
    public Report(List<Metric> metrics, String text, List<String> jvmArgs) {
        this(metrics, text, jvmArgs, Exhibit.NONE);
    }

    /** Names of the metrics, in order. */
    public List<String> metricNames() {
        return metrics.stream().map(Metric::name).toList();
    }
}
