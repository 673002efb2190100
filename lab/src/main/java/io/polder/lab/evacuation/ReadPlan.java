package io.polder.lab.evacuation;

import java.time.Duration;
import java.util.List;

/**
 * How reads are compared with copies.
 *
 * @param jvms one after the other
 * @param rounds each kind once in each
 * @param window in which reads are counted
 * @param coldBytes of the objects that are in no cache
 * @param warmup time of the code before the first round
 */
record ReadPlan(int jvms, int rounds, Duration window, long coldBytes, Duration warmup) {
    /** Arguments from which {@link #parse} makes the same plan. */
    List<String> toArgs() {
        return List.of(
                Integer.toString(jvms),
                Integer.toString(rounds),
                Long.toString(window.toMillis()),
                Long.toString(coldBytes),
                Long.toString(warmup.toMillis()));
    }

    /** Reads what {@link #toArgs} wrote. */
    static ReadPlan parse(List<String> args) {
        return new ReadPlan(
                Integer.parseInt(args.get(0)),
                Integer.parseInt(args.get(1)),
                Duration.ofMillis(Long.parseLong(args.get(2))),
                Long.parseLong(args.get(3)),
                Duration.ofMillis(Long.parseLong(args.get(4))));
    }
}
