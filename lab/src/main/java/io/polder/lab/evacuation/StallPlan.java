package io.polder.lab.evacuation;

import java.time.Duration;
import java.util.List;

/**
 * How long a reader stalls, and what others do meanwhile.
 *
 * @param liveBytes of objects
 * @param perSecond operations of all threads
 * @param stall of one reader
 * @param warmup time of the code before
 */
record StallPlan(long liveBytes, double perSecond, Duration stall, Duration warmup) {
    /** Arguments from which {@link #parse} makes the same plan. */
    List<String> toArgs() {
        return List.of(
                Long.toString(liveBytes),
                Double.toString(perSecond),
                Long.toString(stall.toMillis()),
                Long.toString(warmup.toMillis()));
    }

    /** Reads what {@link #toArgs} wrote. */
    static StallPlan parse(List<String> args) {
        return new StallPlan(
                Long.parseLong(args.get(0)),
                Double.parseDouble(args.get(1)),
                Duration.ofMillis(Long.parseLong(args.get(2))),
                Duration.ofMillis(Long.parseLong(args.get(3))));
    }
}
