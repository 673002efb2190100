package io.polder.lab.experiments.confined;

import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metric.Better;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The metrics of the confined experiment, and their names, which are the same for every run.
 *
 * <pre>{@code
 * confined.<workload>.speedup        the JDK's time / Polder's, median over the rounds
 * confined.<workload>.lwjgl_ratio    LWJGL's time / Polder's, likewise
 * shared.<workload>.speedup          the same of shared arenas
 * confined.calls.no_arena_ratio      the calls' time without any arena / Polder's, likewise
 * confined.empty.ns                  time of an arena that nobody allocates from, median
 * confined.heap_bytes_per_op         Java heap per operation on Polder, of the worst workload
 * confined.mixed.heap_bytes_per_op   the same of those in a mixed JVM
 * }</pre>
 */
final class ConfinedMetrics {
    private static final String EMPTY_NS = "confined." + Workload.EMPTY + ".ns";
    private static final String HEAP = "confined.heap_bytes_per_op";
    private static final String MIXED_HEAP = "confined.mixed.heap_bytes_per_op";

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
            if (workload.hasNone()) {
                names.add(noneRatio(workload));
            }
            if (workload.id().equals(Workload.EMPTY)) {
                names.add(EMPTY_NS);
            }
        }
        names.add(HEAP);
        names.add(MIXED_HEAP);
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
            if (workload.hasNone()) {
                metrics.add(ratio(noneRatio(workload), measurement, Contender.NONE));
            }
            if (workload.id().equals(Workload.EMPTY)) {
                Quartiles nanos = measurement.nanos(Contender.POLDER);
                metrics.add(new Metric(EMPTY_NS, nanos, "ns", Better.LOWER));
            }
        }
        metrics.add(heap(HEAP, worstHeap(measurements, false)));
        metrics.add(heap(MIXED_HEAP, worstHeap(measurements, true)));
        return metrics;
    }

    /**
     * The workload that takes the most Java heap of those whose heap comes from their arenas alone.
     *
     * @param mixed which kind of JVM
     */
    static Optional<Measurement> worstHeap(List<Measurement> measurements, boolean mixed) {
        return measurements.stream()
                .filter(measurement -> measurement.workload().onlyAllocates())
                .filter(measurement -> measurement.workload().isMixed() == mixed)
                .max(Comparator.comparingDouble(Measurement::heapBytesPerOp));
    }

    private static Metric heap(String name, Optional<Measurement> worst) {
        double bytes = worst.map(Measurement::heapBytesPerOp).orElse(0.0);
        return new Metric(name, bytes, "B/op", Better.LOWER);
    }

    private static Metric ratio(String name, Measurement measurement, Contender contender) {
        return new Metric(name, measurement.ratio(contender), Metric.TIMES, Better.HIGHER);
    }

    private static String speedup(Workload workload) {
        return workload.metric() + ".speedup";
    }

    private static String noneRatio(Workload workload) {
        return workload.metric() + ".no_arena_ratio";
    }

    private static String lwjglRatio(Workload workload) {
        return workload.metric() + ".lwjgl_ratio";
    }
}
