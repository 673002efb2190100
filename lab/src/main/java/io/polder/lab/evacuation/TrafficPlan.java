package io.polder.lab.evacuation;

import java.time.Duration;
import java.util.List;

/**
 * How a heap is used while it is compacted, and for how long.
 *
 * @param jvms for each kind of gate
 * @param liveBytes of objects
 * @param rounds without and with compaction
 * @param window in which operations are counted
 * @param latency time for which operations are injected at one rate
 * @param search for the critical rate
 * @param warmup time of the code before the first round
 */
record TrafficPlan(
        int jvms,
        long liveBytes,
        int rounds,
        Duration window,
        Duration latency,
        RateSearch search,
        Duration warmup) {

    /** Arguments from which {@link #parse} makes the same plan. */
    List<String> toArgs() {
        return List.of(
                Integer.toString(jvms),
                Long.toString(liveBytes),
                Integer.toString(rounds),
                Long.toString(window.toMillis()),
                Long.toString(latency.toMillis()),
                Integer.toString(search.steps()),
                Long.toString(search.duration().toMillis()),
                Integer.toString(search.attempts()),
                Long.toString(warmup.toMillis()));
    }

    /** Reads what {@link #toArgs} wrote. */
    static TrafficPlan parse(List<String> args) {
        return new TrafficPlan(
                Integer.parseInt(args.get(0)),
                Long.parseLong(args.get(1)),
                Integer.parseInt(args.get(2)),
                Duration.ofMillis(Long.parseLong(args.get(3))),
                Duration.ofMillis(Long.parseLong(args.get(4))),
                new RateSearch(
                        Integer.parseInt(args.get(5)),
                        Duration.ofMillis(Long.parseLong(args.get(6))),
                        Integer.parseInt(args.get(7))),
                Duration.ofMillis(Long.parseLong(args.get(8))));
    }
}
