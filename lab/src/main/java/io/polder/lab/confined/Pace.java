package io.polder.lab.confined;

import java.time.Duration;
import java.util.List;

/**
 * How often and how long a workload is measured.
 *
 * <p>A batch is short so that the contenders of a round share whatever the machine is doing: on a
 * virtual machine speed changes by a factor of two within tenths of a second.
 *
 * <pre>{@code
 * |<------------------ total ------------------>|
 * | start |<-- warmup -->|<------ rounds ------>|     on an idle machine
 * | start |<-- warmup ... warmupMax -->|<-- roundsMin -->|     on a busy one
 * }</pre>
 *
 * @param jvms fresh JVMs per workload, one after the other
 * @param batch time of one contender in one round
 * @param warmup from the first batch to the first round that counts
 * @param warmupMax longest warm-up while the compilers are not done, of a mixed JVM three times
 *     that; zero waits for no compiler
 * @param total from the start of the JVM, or from when it was mixed, to the end of the last round
 *     if there is no delay
 * @param roundsMin rounds that are measured even if the time is over
 * @param mixing how often a {@link Mixture} does each thing before a mixed JVM begins
 */
record Pace(
        int jvms,
        Duration batch,
        Duration warmup,
        Duration warmupMax,
        Duration total,
        int roundsMin,
        int mixing) {
    /** What compilers learn about a program is settled by then. */
    private static final int MIXING = 50_000;

    /** All JVMs in two minutes, their start and end included; a multiple of that when busy. */
    static final Pace QUICK =
            new Pace(
                    1,
                    Duration.ofMillis(20),
                    Duration.ofMillis(900),
                    Duration.ofMillis(8000),
                    Duration.ofMillis(2600),
                    12,
                    MIXING);

    /** About a quarter of an hour altogether. */
    static final Pace FULL =
            new Pace(
                    3,
                    Duration.ofMillis(20),
                    Duration.ofMillis(2000),
                    Duration.ofMillis(20_000),
                    Duration.ofMillis(7400),
                    12,
                    MIXING);

    /** Everything runs, nothing is measured: for tests. */
    static final Pace SMOKE =
            new Pace(1, Duration.ofMillis(1), Duration.ZERO, Duration.ZERO, Duration.ZERO, 2, 20);

    /** Long enough for a machine that is busy with other things. */
    Duration timeout() {
        return warmupMax.plus(total).multipliedBy(3).plusSeconds(180);
    }

    /** Arguments from which {@link #parse} makes the same pace. */
    List<String> toArgs() {
        return List.of(
                Integer.toString(jvms),
                Long.toString(batch.toMillis()),
                Long.toString(warmup.toMillis()),
                Long.toString(warmupMax.toMillis()),
                Long.toString(total.toMillis()),
                Integer.toString(roundsMin),
                Integer.toString(mixing));
    }

    /** Reads what {@link #toArgs} wrote. */
    static Pace parse(List<String> args) {
        return new Pace(
                Integer.parseInt(args.get(0)),
                Duration.ofMillis(Long.parseLong(args.get(1))),
                Duration.ofMillis(Long.parseLong(args.get(2))),
                Duration.ofMillis(Long.parseLong(args.get(3))),
                Duration.ofMillis(Long.parseLong(args.get(4))),
                Integer.parseInt(args.get(5)),
                Integer.parseInt(args.get(6)));
    }
}
