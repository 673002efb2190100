package io.polder.lab.evacuation;

import java.time.Duration;
import java.util.List;

/**
 * How often and how long gates are measured.
 *
 * @param rounds each contender at each number of threads
 * @param window in which passes are counted
 * @param warmup time of the code before the first round
 */
record GatePlan(int rounds, Duration window, Duration warmup) {
    /** Numbers of threads: 16 and 64 are more than most machines have processors. */
    static final List<Integer> THREADS = List.of(1, 2, 4, 16, 64);

    /** Arguments from which {@link #parse} makes the same plan. */
    List<String> toArgs() {
        return List.of(
                Integer.toString(rounds),
                Long.toString(window.toMillis()),
                Long.toString(warmup.toMillis()));
    }

    /** Reads what {@link #toArgs} wrote. */
    static GatePlan parse(List<String> args) {
        return new GatePlan(
                Integer.parseInt(args.get(0)),
                Duration.ofMillis(Long.parseLong(args.get(1))),
                Duration.ofMillis(Long.parseLong(args.get(2))));
    }
}
