package io.polder.lab.experiments.confined;

import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Goal;
import io.polder.tools.html.Unit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/** What the confined experiment is to reach: against the JDK, against LWJGL, and in Java heap. */
final class ConfinedGoals {
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

    private ConfinedGoals() {}

    /** All goals, in the order of the tables. */
    static List<Goal> list(List<Measurement> measurements) {
        List<Goal> goals = new ArrayList<>();
        for (Measurement measurement : measurements) {
            Workload workload = measurement.workload();
            workload.goal()
                    .ifPresent(
                            goal ->
                                    goals.add(
                                            atLeast(
                                                    workload.longLabel() + ", JDK / Polder",
                                                    goal,
                                                    measurement.ratio(Contender.JDK))));
            if (workload.id().equals(Workload.EMPTY)) {
                goals.add(empty(measurement));
            }
            if (workload.hasNone()) {
                goals.add(
                        atLeast(
                                workload.longLabel() + ", no arena / Polder",
                                NO_ARENA,
                                measurement.ratio(Contender.NONE)));
            }
        }
        worst(measurements).ifPresent(goals::add);
        for (Measurement measurement : measurements) {
            lwjgl(measurement.workload())
                    .ifPresent(
                            goal ->
                                    goals.add(
                                            atLeast(
                                                    measurement.workload().longLabel()
                                                            + ", LWJGL / Polder",
                                                    goal,
                                                    measurement.ratio(Contender.LWJGL))));
        }
        goals.add(heap("Java heap per operation", measurements, false));
        goals.add(heap("Java heap per operation, mixed JVM", measurements, true));
        return goals;
    }

    /** Ratio to LWJGL's time that a workload is to reach, if there is one. */
    static OptionalDouble lwjgl(Workload workload) {
        return LWJGL_LABELS.contains(workload.label())
                ? OptionalDouble.of(LWJGL)
                : OptionalDouble.empty();
    }

    private static Optional<Goal> worst(List<Measurement> measurements) {
        OptionalDouble worst =
                measurements.stream()
                        .filter(measurement -> measurement.workload().hasSpeedup())
                        .mapToDouble(measurement -> measurement.ratio(Contender.JDK).median())
                        .min();
        return worst.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new Goal(
                                "the worst row, JDK / Polder",
                                ">= " + Unit.TIMES.format(WORST),
                                Unit.TIMES.format(worst.getAsDouble()),
                                worst.getAsDouble() >= WORST));
    }

    private static Goal empty(Measurement measurement) {
        double nanos = measurement.nanos(Contender.POLDER).median();
        return new Goal(
                measurement.workload().label(),
                "<= " + Unit.NANOS.format(EMPTY_NS),
                Unit.NANOS.format(nanos),
                nanos <= EMPTY_NS);
    }

    private static Goal heap(String what, List<Measurement> measurements, boolean mixed) {
        double bytes =
                ConfinedMetrics.worstHeap(measurements, mixed)
                        .map(Measurement::heapBytesPerOp)
                        .orElse(0.0);
        return new Goal(
                what, "0 B", String.format(Locale.ROOT, "%.3f B", bytes), bytes < HEAP_NOISE_BYTES);
    }

    private static Goal atLeast(String what, double goal, Quartiles ratio) {
        return new Goal(
                what,
                ">= " + Unit.TIMES.format(goal),
                Unit.TIMES.format(ratio.median()),
                ratio.median() >= goal);
    }
}
