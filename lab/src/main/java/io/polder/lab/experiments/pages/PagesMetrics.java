package io.polder.lab.experiments.pages;

import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metric.Better;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.List;

/**
 * The metrics of the pages experiment.
 *
 * <pre>{@code
 * pages.assembled_on_allocation     by threads that took a page, in the worst round
 *      .alloc_mean_ns, alloc_p99_ns, alloc_max_us
 *                                   of all takes of all rounds
 *      .refused                     takes refused although enough was free, all rounds
 *      .maps_max                    most mappings added to the process, in the worst round
 *      .assemble32m_us              16 granules that lie apart, remapped; median
 *      .remap_vs_unmap_map          unmap, map and first touch of the same / that; median
 * pages.<contender>.*               the first six for the others
 * }</pre>
 */
final class PagesMetrics {
    private static final String PREFIX = "pages.";

    private static final List<String> OF_CONTENDER =
            List.of(
                    "assembled_on_allocation",
                    "alloc_mean_ns",
                    "alloc_p99_ns",
                    "alloc_max_us",
                    "refused",
                    "maps_max");

    private static final String ASSEMBLE = PREFIX + "assemble32m_us";
    private static final String RATIO = PREFIX + "remap_vs_unmap_map";

    private PagesMetrics() {}

    /** Names of the metrics, in the order of {@link #of}. */
    static List<String> names(List<Contender> contenders) {
        List<String> names = new ArrayList<>();
        for (Contender contender : contenders) {
            OF_CONTENDER.forEach(name -> names.add(prefix(contender) + name));
            if (contender == Contender.POLDER) {
                names.add(ASSEMBLE);
                names.add(RATIO);
            }
        }
        return names;
    }

    /** Metrics of what was measured. */
    static List<Metric> of(List<Measurement> measurements, Findings assemblies) {
        List<Metric> metrics = new ArrayList<>();
        for (Measurement measurement : measurements) {
            Contender contender = measurement.contender();
            String prefix = prefix(contender);
            Histogram all = measurement.latencies().all();
            List<Double> values =
                    List.of(
                            assembledOnAllocation(measurement),
                            all.getMean(),
                            (double) all.getValueAtPercentile(99),
                            all.getMaxValue() / 1e3,
                            refused(measurement),
                            measurement.max(Recording::mapsAdded));
            for (int i = 0; i < values.size(); i++) {
                String name = OF_CONTENDER.get(i);
                metrics.add(lower(prefix + name, values.get(i), unit(name)));
            }
            if (contender == Contender.POLDER) {
                double nanos = assemblies.quartiles(AssemblyJvm.REMAP).median();
                metrics.add(lower(ASSEMBLE, nanos / 1e3, "us"));
                Quartiles ratio = AssemblyJvm.ratio(assemblies);
                metrics.add(new Metric(RATIO, ratio, Metric.TIMES, Better.HIGHER));
            }
        }
        return metrics;
    }

    /** How often a thread that took a page had to assemble it, in the worst round. */
    static double assembledOnAllocation(Measurement measurement) {
        return measurement.max(
                recording -> recording.end().get(Point.Value.ASSEMBLED_ON_ALLOCATION));
    }

    /** Takes refused although enough was free, in all rounds. */
    static double refused(Measurement measurement) {
        return measurement.sum(recording -> recording.outcome().get(Outcome.Value.REFUSED));
    }

    private static Metric lower(String name, double value, String unit) {
        return new Metric(name, value, unit, Better.LOWER);
    }

    private static String unit(String name) {
        if (name.endsWith("_ns")) {
            return "ns";
        }
        return name.endsWith("_us") ? "us" : "count";
    }

    private static String prefix(Contender contender) {
        return contender == Contender.POLDER ? PREFIX : PREFIX + contender.id() + ".";
    }
}
