package io.polder.lab.report;

import io.polder.lab.harness.MachineLoad;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What an experiment found: {@link ReportText}, {@link ReportJson} and {@link ReportPage} say it.
 *
 * @param metrics in the order of the experiment's metric names
 * @param tables tables and notes as text, at most {@value #WIDTH} columns wide
 * @param jvmArgs arguments of the JVMs that were measured
 * @param section what a page shows of it
 * @param warnings what is to be known before a figure is read, a line each
 * @param busy whether others had too much of the machine for any figure to be trusted
 */
public record Report(
        List<Metric> metrics,
        String tables,
        List<String> jvmArgs,
        ReportSection section,
        List<String> warnings,
        boolean busy) {
    /** Columns that fit a terminal. */
    public static final int WIDTH = 100;

    /** Copies the lists. */
    public Report {
        metrics = List.copyOf(metrics);
        jvmArgs = List.copyOf(jvmArgs);
        warnings = List.copyOf(warnings);
    }

    /** What was found, without warnings. */
    public Report(
            List<Metric> metrics, String tables, List<String> jvmArgs, ReportSection section) {
        this(metrics, tables, jvmArgs, section, List.of(), false);
    }

    /** The same with warnings behind those there are. */
    public Report withWarnings(List<String> more) {
        List<String> all = new ArrayList<>(warnings);
        all.addAll(more);
        return new Report(metrics, tables, jvmArgs, section, all, busy);
    }

    /**
     * The same of a machine of which others had a part meanwhile, which is said first if it is
     * large.
     */
    public Report beside(double others) {
        Optional<String> warning = MachineLoad.warning(others);
        List<String> all = new ArrayList<>(warning.stream().toList());
        all.addAll(warnings);
        return new Report(metrics, tables, jvmArgs, section, all, busy || warning.isPresent());
    }

    /** Names of the metrics, in order. */
    public List<String> metricNames() {
        return metrics.stream().map(Metric::name).toList();
    }
}
