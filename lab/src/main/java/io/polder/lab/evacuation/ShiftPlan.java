package io.polder.lab.evacuation;

import java.time.Duration;
import java.util.List;

/**
 * How large the size-shift workload is.
 *
 * @param budgetBytes of living values; beyond it one that is drawn at random goes
 * @param rest after each phase, in which nobody does anything
 * @param restUnmoved the same where nothing happens by itself anyway
 * @param points samples within a phase and within a rest
 * @param warmup time of the code on a store of its own, before the first value
 */
record ShiftPlan(
        long budgetBytes, Duration rest, Duration restUnmoved, int points, Duration warmup) {
    /** Fewer bytes than the mean of the smallest values: so many fit into the arrays. */
    private static final long BYTES_PER_VALUE_LEAST = 64;

    /** The same with less memory, and without rests. */
    ShiftPlan smaller(int divisor) {
        return new ShiftPlan(budgetBytes / divisor, Duration.ZERO, Duration.ZERO, 1, Duration.ZERO);
    }

    /** How many values there may be. */
    int valuesMax() {
        return Math.toIntExact(budgetBytes / BYTES_PER_VALUE_LEAST);
    }

    /** How long a contender rests after each phase. */
    Duration restOf(ShiftContender contender) {
        return contender == ShiftContender.HEAP ? rest : restUnmoved;
    }

    /** Arguments from which {@link #parse} makes the same plan. */
    List<String> toArgs() {
        return List.of(
                Long.toString(budgetBytes),
                Long.toString(rest.toMillis()),
                Long.toString(restUnmoved.toMillis()),
                Integer.toString(points),
                Long.toString(warmup.toMillis()));
    }

    /** Reads what {@link #toArgs} wrote. */
    static ShiftPlan parse(List<String> args) {
        return new ShiftPlan(
                Long.parseLong(args.get(0)),
                Duration.ofMillis(Long.parseLong(args.get(1))),
                Duration.ofMillis(Long.parseLong(args.get(2))),
                Integer.parseInt(args.get(3)),
                Duration.ofMillis(Long.parseLong(args.get(4))));
    }
}
