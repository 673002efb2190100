package io.polder.lab.experiments.confined;

import io.polder.lab.report.Format;
import io.polder.lab.report.Goal;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metric.Better;
import io.polder.lab.report.Metrics;
import io.polder.tools.html.Unit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * The metrics of the confined experiment, whose names are the same for every run, and what they are
 * to be.
 *
 * <pre>{@code
 * confined.<workload>.speedup        the JDK's time / Polder's, median over the rounds
 * confined.<workload>.lwjgl_ratio    LWJGL's time / Polder's, as above
 * shared.<workload>.speedup          the same of shared arenas
 * confined.calls.no_arena_ratio      the calls' time without any arena / Polder's, as above
 * confined.empty.ns                  time of an arena that nobody allocates from, median
 * confined.heap_bytes_per_op         Java heap per operation on Polder, of the worst workload
 * confined.mixed.heap_bytes_per_op   the same of those in a mixed JVM
 * }</pre>
 */
final class ConfinedMetrics {
    /** Time of an arena that nobody allocates from, in nanoseconds: nobody opens one for that. */
    private static final double EMPTY_NS = 5;

    /** No slower than LWJGL, at these sizes. */
    private static final double LWJGL = 1;

    private static final Set<String> LWJGL_LABELS = Set.of("5 B", "20 B", "100 B", "1000 B");

    /** Within five percent of arenas that cost nothing. */
    private static final double NO_ARENA = 0.95;

    /** No slower than the JDK, whatever it is. */
    private static final double WORST = 1;

    /**
     * Bytes of Java heap per operation that count as none: JMH's own few objects, spread over all
     * operations of a batch. The smallest object in every operation would be eight or more.
     */
    private static final double HEAP_NOISE_BYTES = 0.5;

    private static final Metrics<List<Measurement>> HEAP =
            new Metrics<List<Measurement>>()
                    .lower("confined.heap_bytes_per_op", "B/op", all -> heapBytes(all, false))
                    .lower("confined.mixed.heap_bytes_per_op", "B/op", all -> heapBytes(all, true));

    private ConfinedMetrics() {}

    /** Names of the metrics of some workloads, in the order of {@link #of}. */
    static List<String> names(List<Workload> workloads) {
        List<String> names = new ArrayList<>();
        workloads.forEach(workload -> names.addAll(ofOne(workload).names()));
        names.addAll(HEAP.names());
        return names;
    }

    /** Metrics of what was measured. */
    static List<Metric> of(List<Measurement> measurements) {
        List<Metric> metrics = new ArrayList<>();
        measurements.forEach(one -> metrics.addAll(ofOne(one.workload()).of(one)));
        metrics.addAll(HEAP.of(measurements));
        return metrics;
    }

    private static Metrics<Measurement> ofOne(Workload workload) {
        Metrics<Measurement> metrics = new Metrics<>();
        String prefix = workload.metric();
        if (workload.hasSpeedup()) {
            metrics.ratio(prefix + ".speedup", one -> one.ratio(Contender.JDK));
        }
        if (workload.hasLwjgl()) {
            metrics.ratio(prefix + ".lwjgl_ratio", one -> one.ratio(Contender.LWJGL));
        }
        if (workload.hasNone()) {
            metrics.ratio(prefix + ".no_arena_ratio", one -> one.ratio(Contender.NONE));
        }
        if (workload.isEmpty()) {
            metrics.median(prefix + ".ns", "ns", Better.LOWER, one -> one.nanos(Contender.POLDER));
        }
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

    private static double heapBytes(List<Measurement> measurements, boolean mixed) {
        return worstHeap(measurements, mixed).map(Measurement::heapBytesPerOp).orElse(0.0);
    }

    /** All goals, in the order of the tables. */
    static List<Goal> goals(List<Measurement> measurements) {
        List<Goal> goals = new ArrayList<>();
        for (Measurement one : measurements) {
            Workload workload = one.workload();
            addRatio(goals, one, Contender.JDK, "JDK", workload.goal());
            if (workload.isEmpty()) {
                double nanos = one.nanos(Contender.POLDER).median();
                goals.add(Goal.atMost(workload.label(), EMPTY_NS, nanos, Unit.NANOS::format));
            }
            if (workload.hasNone()) {
                OptionalDouble goal = OptionalDouble.of(NO_ARENA);
                addRatio(goals, one, Contender.NONE, "no arena", goal);
            }
        }
        measurements.stream()
                .filter(one -> one.workload().hasSpeedup())
                .mapToDouble(one -> one.ratio(Contender.JDK).median())
                .min()
                .ifPresent(worst -> goals.add(ratio("the worst row, JDK", WORST, worst)));
        for (Measurement one : measurements) {
            addRatio(goals, one, Contender.LWJGL, "LWJGL", lwjglGoal(one.workload()));
        }
        goals.add(heap("Java heap per operation", heapBytes(measurements, false)));
        goals.add(heap("Java heap per operation, mixed JVM", heapBytes(measurements, true)));
        return goals;
    }

    /** Ratio to LWJGL's time that a workload is to reach, if there is one. */
    static OptionalDouble lwjglGoal(Workload workload) {
        return LWJGL_LABELS.contains(workload.label())
                ? OptionalDouble.of(LWJGL)
                : OptionalDouble.empty();
    }

    private static void addRatio(
            List<Goal> goals, Measurement one, Contender other, String name, OptionalDouble goal) {
        String what = one.workload().longLabel() + ", " + name;
        goal.ifPresent(least -> goals.add(ratio(what, least, one.ratio(other).median())));
    }

    private static Goal ratio(String what, double goal, double ratio) {
        return Goal.atLeast(what + " / Polder", goal, ratio, Unit.TIMES::format);
    }

    private static Goal heap(String what, double bytes) {
        return new Goal(what, "0 B", Format.fixed(3, bytes) + " B", bytes < HEAP_NOISE_BYTES);
    }
}
