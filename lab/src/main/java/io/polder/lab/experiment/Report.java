package io.polder.lab.experiment;

import java.util.List;

/**
 * What an experiment found: metrics for machines, text for people.
 *
 * @param metrics in the order of {@link Experiment#metricNames()}
 * @param text tables and notes, at most {@value #WIDTH} columns wide
 * @param jvmArgs arguments of the JVMs that were measured
 */
public record Report(List<Metric> metrics, String text, List<String> jvmArgs) {
    /** Columns that fit a terminal. */
    public static final int WIDTH = 100;

    /** Copies the lists. */
    public Report {
        metrics = List.copyOf(metrics);
        jvmArgs = List.copyOf(jvmArgs);
    }

    /** Names of the metrics, in order. */
    public List<String> metricNames() {
        return metrics.stream().map(Metric::name).toList();
    }
}
