package io.polder.lab.confined;

import io.polder.lab.experiment.Metric;
import io.polder.lab.experiment.Metric.Better;

import java.util.ArrayList;
import java.util.List;

/**
 * The metrics of the confined experiment, and their names, which are the same for every run.
 *
 * <pre>{@code
 * confined.<workload>.speedup        the JDK's time / Polder's, median over the rounds
 * confined.<workload>.lwjgl_ratio    LWJGL's time / Polder's, likewise
 * confined.empty.ns                  time of an arena that nobody allocates from, median
 * confined.heap_bytes_per_op         Java heap per operation on Polder, of the worst workload
 * }</pre>
 */
final class ConfinedMetrics {
    private static final String PREFIX = "confined.";
    private static final String EMPTY_NS = PREFIX + Workload.EMPTY + ".ns";
    private static final String HEAP = PREFIX + "heap_bytes_per_op";

    private ConfinedMetrics() {}

    /** Names of the metrics of some workloads, in the order of {@link #of}. */
    static List<String> names(List<Workload> workloads) {
        List<String> names = new ArrayList<>();
        for (Workload workload : workloads) {
            if (workload.hasSpeedup()) {
                names.add(speedup(workload));
            }
            if (workload.hasLwjgl()) {
                names.add(lwjglRatio(workload));
            }
            if (workload.id().equals(Workload.EMPTY)) {
                names.add(EMPTY_NS);
            }
        }
        names.add(HEAP);
        return names;
    }

    /** Metrics of what was measured. */
    static List<Metric> of(List<Measurement> measurements) {
        List<Metric> metrics = new ArrayList<>();
        for (Measurement measurement : measurements) {
            Workload workload = measurement.workload();
            if (workload.hasSpeedup()) {
                metrics.add(ratio(speedup(workload), measurement, Contender.JDK));
            }
            if (workload.hasLwjgl()) {
                metrics.add(ratio(lwjglRatio(workload), measurement, Contender.LWJGL));
            }
            if (workload.id().equals(Workload.EMPTY)) {
                double nanos = measurement.nanos(Contender.POLDER).median();
                metrics.add(new Metric(EMPTY_NS, nanos, "ns", Better.LOWER));
            }
        }
        metrics.add(new Metric(HEAP, heapBytesPerOp(measurements), "B/op", Better.LOWER));
        return metrics;
    }

    /** Java heap per operation of the worst workload whose heap comes from its arenas alone. */
    static double heapBytesPerOp(List<Measurement> measurements) {
        return measurements.stream()
                .filter(measurement -> measurement.workload().onlyAllocates())
                .mapToDouble(Measurement::heapBytesPerOp)
                .max()
                .orElse(0);
    }

    private static Metric ratio(String name, Measurement measurement, Contender contender) {
        return new Metric(name, measurement.ratio(contender).median(), Metric.TIMES, Better.HIGHER);
    }

    private static String speedup(Workload workload) {
        return PREFIX + workload.id() + ".speedup";
    }

    private static String lwjglRatio(Workload workload) {
        return PREFIX + workload.id() + ".lwjgl_ratio";
    }
}
