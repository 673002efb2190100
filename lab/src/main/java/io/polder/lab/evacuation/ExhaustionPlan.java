package io.polder.lab.evacuation;

import java.time.Duration;
import java.util.List;

/**
 * How often a heap runs out of memory while it is compacted.
 *
 * @param cycles of each policy in each way; in which that happens, where it can be made to
 * @param time after which fewer are enough
 * @param liveBytes of objects
 */
record ExhaustionPlan(int cycles, Duration time, long liveBytes) {
    /** Arguments from which {@link #parse} makes the same plan. */
    List<String> toArgs() {
        return List.of(
                Integer.toString(cycles), Long.toString(time.toMillis()), Long.toString(liveBytes));
    }

    /** Reads what {@link #toArgs} wrote. */
    static ExhaustionPlan parse(List<String> args) {
        return new ExhaustionPlan(
                Integer.parseInt(args.get(0)),
                Duration.ofMillis(Long.parseLong(args.get(1))),
                Long.parseLong(args.get(2)));
    }
}
