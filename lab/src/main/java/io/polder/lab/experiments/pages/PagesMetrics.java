package io.polder.lab.experiments.pages;

import io.polder.lab.experiments.pages.Latencies.Group;
import io.polder.lab.harness.Findings;
import io.polder.lab.report.Format;
import io.polder.lab.report.Goal;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metrics;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.List;

/**
 * The metrics of the pages experiment, and what Polder's are to be.
 *
 * <pre>{@code
 * pages.assembled_on_allocation     by threads that took a page, in the worst round
 *      .alloc_mean_ns, alloc_p99_ns, alloc_max_us
 *                                   of all takes of all rounds
 *      .refused                     takes refused although enough was free, all rounds
 *      .maps_max                    most mappings added to the process, in the worst round
 *      .alloc_mean_over_control, alloc_p99_over_control
 *                                   the same / that of a control beside it
 *      .assemble32m_us              16 granules that lie apart, remapped; median
 *      .remap_vs_unmap_map          unmap, map and first touch of the same / that; median
 * pages.<contender>.*               the first six for the others
 * }</pre>
 */
final class PagesMetrics {
    private static final double MEAN_NANOS = 2_000;
    private static final double P99_NANOS = 10_000;
    private static final double MAX_NANOS = 1_000_000;
    private static final double MEAN_OVER_CONTROL = 1.3;
    private static final double P99_OVER_CONTROL = 2;
    private static final double ASSEMBLE_NANOS = 200_000;
    private static final double RATIO = 20;

    private static final Metrics<Findings> ASSEMBLY =
            new Metrics<Findings>()
                    .lower("pages.assemble32m_us", "us", found -> assembleNanos(found) / 1e3)
                    .ratio("pages.remap_vs_unmap_map", AssemblyJvm::ratio);

    private static final Metrics<Measurement> OVER_CONTROL =
            new Metrics<Measurement>()
                    .lower(
                            "pages.alloc_mean_over_control",
                            Metric.TIMES,
                            PagesMetrics::meanOverControl)
                    .lower(
                            "pages.alloc_p99_over_control",
                            Metric.TIMES,
                            PagesMetrics::p99OverControl);

    private PagesMetrics() {}

    /** Names of the metrics, in the order of {@link #of}. */
    static List<String> names(List<Contender> contenders) {
        List<String> names = new ArrayList<>();
        for (Contender contender : contenders) {
            names.addAll(takes(contender).names());
            if (contender == Contender.POLDER) {
                names.addAll(OVER_CONTROL.names());
                names.addAll(ASSEMBLY.names());
            }
        }
        return names;
    }

    /** Metrics of what was measured. */
    static List<Metric> of(List<Measurement> measurements, Findings assemblies) {
        List<Metric> metrics = new ArrayList<>();
        for (Measurement measurement : measurements) {
            metrics.addAll(takes(measurement.contender()).of(measurement));
            if (measurement.isPolder()) {
                metrics.addAll(OVER_CONTROL.of(measurement));
                metrics.addAll(ASSEMBLY.of(assemblies));
            }
        }
        return metrics;
    }

    /** What Polder's pages are to reach. */
    static List<Goal> goals(Measurement polder, Findings assemblies) {
        Histogram all = polder.latencies().all();
        double p99 = all.getValueAtPercentile(99);
        double worst = all.getMaxValue();
        return List.of(
                Goal.zero(
                        "assembled by the taking thread",
                        polder.assembledOnAllocation(),
                        PagesMetrics::whole),
                Goal.zero("refused while enough is free", polder.refused(), PagesMetrics::whole),
                Goal.atMost("mean take", MEAN_NANOS, all.getMean(), PagesMetrics::micros),
                Goal.atMost("p99 of takes", P99_NANOS, p99, PagesMetrics::micros),
                Goal.atMost(
                        "mean take / control",
                        MEAN_OVER_CONTROL,
                        meanOverControl(polder),
                        PagesMetrics::times),
                Goal.atMost(
                        "p99 of takes / control",
                        P99_OVER_CONTROL,
                        p99OverControl(polder),
                        PagesMetrics::times),
                Goal.atMost("worst take", MAX_NANOS, worst, PagesMetrics::micros),
                Goal.atMost(
                        "32 MiB assembled",
                        ASSEMBLE_NANOS,
                        assembleNanos(assemblies),
                        PagesMetrics::micros),
                Goal.atLeast(
                        "unmap, map and first touch / that",
                        RATIO,
                        AssemblyJvm.ratio(assemblies).median(),
                        ratio -> whole(ratio) + "x"));
    }

    private static Metrics<Measurement> takes(Contender contender) {
        String prefix = contender == Contender.POLDER ? "pages." : "pages." + contender.id() + ".";
        return new Metrics<Measurement>()
                .lower(
                        prefix + "assembled_on_allocation",
                        "count",
                        Measurement::assembledOnAllocation)
                .lower(prefix + "alloc_mean_ns", "ns", m -> m.latencies().all().getMean())
                .lower(
                        prefix + "alloc_p99_ns",
                        "ns",
                        m -> m.latencies().all().getValueAtPercentile(99))
                .lower(prefix + "alloc_max_us", "us", m -> m.latencies().all().getMaxValue() / 1e3)
                .lower(prefix + "refused", "count", Measurement::refused)
                .lower(prefix + "maps_max", "count", m -> m.max(Recording::mapsAdded));
    }

    /** The machine's own misses and pauses are in both. */
    private static double meanOverControl(Measurement measurement) {
        Latencies latencies = measurement.latencies();
        return latencies.all().getMean() / latencies.of(Group.CONTROL).getMean();
    }

    private static double p99OverControl(Measurement measurement) {
        Latencies latencies = measurement.latencies();
        return (double) latencies.all().getValueAtPercentile(99)
                / latencies.of(Group.CONTROL).getValueAtPercentile(99);
    }

    private static double assembleNanos(Findings assemblies) {
        return assemblies.median(AssemblyJvm.REMAP);
    }

    private static String micros(double nanos) {
        return Format.fixed(1, nanos / 1e3) + " us";
    }

    private static String times(double ratio) {
        return Format.fixed(2, ratio) + "x";
    }

    private static String whole(double value) {
        return Format.fixed(0, value);
    }
}
