package io.polder.lab.experiments.elasticity;

import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.report.Charts;
import io.polder.lab.report.Goal;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metrics;
import io.polder.tools.html.Unit;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The metrics of the elasticity experiment, whose names are the same for every run on which the
 * same libraries are installed, and what they are to be.
 *
 * <pre>{@code
 * elasticity.<workload>.peak_committed_over_used     Polder, all generations alive
 *                      .valley_committed_over_used   Polder, one generation alive, trimmed
 *                      .valley_rss_ratio.<library>   malloc's growth of RSS / Polder's, as above
 *                      .peak_rss_ratio.<library>
 *                      .time_ratio.<library>         malloc's time / Polder's with its trims
 *                      .steady_time_ratio.<library>  the same where neither gives anything back
 *                      .given_back_time_ratio.<library>   and where both give back what is free
 *                      .final_committed_bytes        Polder, no owner left, trimmed
 *                      .maps_max                     most mappings that Polder added to the process
 * }</pre>
 *
 * <p>Malloc is {@linkplain IdealMalloc idealised}. A library that is not installed has no metrics.
 * A figure is the median over the rounds, a ratio is taken within its round; the last two are the
 * worst of all rounds.
 */
final class ElasticityMetrics {
    /** Mappings that the pool may add to the process. */
    private static final int MAPS_GOAL = 16;

    private ElasticityMetrics() {}

    /** Names of the metrics, in the order of {@link #of}. */
    static List<String> names(List<Workload> workloads, Set<MallocLibrary> libraries) {
        List<String> names = new ArrayList<>();
        workloads.forEach(workload -> names.addAll(ofOne(workload, libraries).names()));
        return names;
    }

    /** Metrics of what was measured. */
    static List<Metric> of(List<Measurement> measurements, Set<MallocLibrary> libraries) {
        List<Metric> metrics = new ArrayList<>();
        measurements.forEach(one -> metrics.addAll(ofOne(one.workload(), libraries).of(one)));
        return metrics;
    }

    private static Metrics<Measurement> ofOne(Workload workload, Set<MallocLibrary> libraries) {
        String prefix = "elasticity." + workload.id() + ".";
        Metrics<Measurement> metrics =
                new Metrics<Measurement>()
                        .lower(
                                prefix + "peak_committed_over_used",
                                Metric.TIMES,
                                one -> one.committedOverUsed(Stage.PEAK))
                        .lower(
                                prefix + "valley_committed_over_used",
                                Metric.TIMES,
                                one -> one.committedOverUsed(Stage.TRIMMED));
        for (Figure figure : Figure.ALL) {
            for (MallocLibrary library : libraries) {
                metrics.ratio(
                        prefix + figure.metric() + "." + library.id(),
                        one -> figure.ratio(one, library));
            }
        }
        return metrics.lower(prefix + "final_committed_bytes", "B", Measurement::endBytes)
                .lower(prefix + "maps_max", "maps", Measurement::mapsMax);
    }

    /** What is to be reached. */
    static List<Goal> goals(List<Measurement> measurements, Set<MallocLibrary> libraries) {
        List<Goal> goals = new ArrayList<>();
        for (Measurement one : measurements) {
            String id = one.workload().id() + ", ";
            goals.add(
                    Goal.atMost(
                            id + "committed / used in the valley",
                            one.workload().valleyGoal(),
                            one.committedOverUsed(Stage.TRIMMED),
                            Charts::times2));
            goals.add(Goal.zero(id + "committed at the end", one.endBytes(), Unit.BYTES::format));
            goals.add(
                    Goal.atMost(
                            id + "mappings added", MAPS_GOAL, one.mapsMax(), Unit.COUNT::format));
            for (MallocLibrary library : libraries) {
                for (Figure figure : Figure.ALL) {
                    String what = id + figure.title() + ", " + library.id() + " / Polder";
                    double ratio = figure.ratio(one, library).median();
                    figure.goal(library)
                            .ifPresent(
                                    goal ->
                                            goals.add(
                                                    Goal.atLeast(
                                                            what, goal, ratio, Charts::times2)));
                }
            }
        }
        return goals;
    }
}
