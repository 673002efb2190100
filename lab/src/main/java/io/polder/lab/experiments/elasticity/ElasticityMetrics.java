package io.polder.lab.experiments.elasticity;

import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metric.Better;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The metrics of the elasticity experiment, and their names, which are the same for every run on
 * which the same libraries are installed.
 *
 * <pre>{@code
 * elasticity.<workload>.peak_committed_over_used     Polder, all generations alive
 *                      .valley_committed_over_used   Polder, one generation alive, trimmed
 *                      .valley_rss_ratio.<library>   malloc's growth of RSS / Polder's, likewise
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
    private static final String PREFIX = "elasticity.";

    private ElasticityMetrics() {}

    /** Names of the metrics, in the order of {@link #of}. */
    static List<String> names(List<Workload> workloads, Set<MallocLibrary> libraries) {
        List<String> names = new ArrayList<>();
        for (Workload workload : workloads) {
            names.add(peak(workload));
            names.add(valley(workload));
            for (Figure figure : Figure.ALL) {
                libraries.forEach(library -> names.add(ratio(workload, figure, library)));
            }
            names.add(last(workload));
            names.add(maps(workload));
        }
        return names;
    }

    /** Metrics of what was measured. */
    static List<Metric> of(List<Measurement> measurements, Set<MallocLibrary> libraries) {
        List<Metric> metrics = new ArrayList<>();
        for (Measurement measurement : measurements) {
            Workload workload = measurement.workload();
            metrics.add(committedOverUsed(peak(workload), measurement, Stage.PEAK));
            metrics.add(committedOverUsed(valley(workload), measurement, Stage.TRIMMED));
            for (Figure figure : Figure.ALL) {
                for (MallocLibrary library : libraries) {
                    Quartiles ratio = figure.ratio(measurement, library);
                    String name = ratio(workload, figure, library);
                    metrics.add(new Metric(name, ratio, Metric.TIMES, Better.HIGHER));
                }
            }
            double bytes = finalCommittedBytes(measurement);
            metrics.add(new Metric(last(workload), bytes, "B", Better.LOWER));
            metrics.add(new Metric(maps(workload), mapsMax(measurement), "maps", Better.LOWER));
        }
        return metrics;
    }

    /** What Polder keeps committed without any owner, in the worst round. */
    static double finalCommittedBytes(Measurement measurement) {
        return measurement.max(
                Contender.POLDER, recording -> recording.at(Stage.END).committedBytes());
    }

    /** The most mappings that Polder added to the process, in the worst round. */
    static double mapsMax(Measurement measurement) {
        return measurement.max(Contender.POLDER, Recording::mapsAdded);
    }

    private static Metric committedOverUsed(String name, Measurement measurement, Stage stage) {
        double value =
                measurement.median(
                        Contender.POLDER, recording -> recording.committedOverUsed(stage));
        return new Metric(name, value, Metric.TIMES, Better.LOWER);
    }

    private static String peak(Workload workload) {
        return PREFIX + workload.id() + ".peak_committed_over_used";
    }

    private static String valley(Workload workload) {
        return PREFIX + workload.id() + ".valley_committed_over_used";
    }

    private static String ratio(Workload workload, Figure figure, MallocLibrary library) {
        return PREFIX + workload.id() + "." + figure.metric() + "." + library.id();
    }

    private static String last(Workload workload) {
        return PREFIX + workload.id() + ".final_committed_bytes";
    }

    private static String maps(Workload workload) {
        return PREFIX + workload.id() + ".maps_max";
    }
}
