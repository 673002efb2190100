package io.polder.lab.experiments.confined;

import java.time.Duration;

/**
 * How often and how long a workload is measured, in a quick run and in a full one.
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
 * @param warmupMax longest warm-up while the compilers are not done, on the clock and in time of
 *     processors, of a mixed JVM three times that; zero waits for no compiler
 * @param total from the start of the JVM, or from when it was mixed, to the end of the last round
 *     if there is no delay
 * @param roundsMin rounds that are measured even if the time is over
 * @param mixing how often a {@link Mixture} does each thing before a mixed JVM begins
 * @param oneMixedJvm whether one mixed JVM measures all workloads that need one, in turn, and not
 *     each has its own: mixing takes longer than measuring does
 */
record Scale(
        int jvms,
        Duration batch,
        Duration warmup,
        Duration warmupMax,
        Duration total,
        int roundsMin,
        int mixing,
        boolean oneMixedJvm) {
    /** What compilers learn about a program is stable by then. */
    private static final int MIXING = 50_000;

    /** All JVMs in a minute, their start and end included; a multiple of that when busy. */
    static final Scale QUICK =
            new Scale(
                    1,
                    Duration.ofMillis(15),
                    Duration.ofMillis(400),
                    Duration.ofMillis(8000),
                    Duration.ofMillis(1000),
                    6,
                    MIXING,
                    true);

    /** About a quarter of an hour altogether. */
    static final Scale FULL =
            new Scale(
                    3,
                    Duration.ofMillis(20),
                    Duration.ofMillis(2000),
                    Duration.ofMillis(20_000),
                    Duration.ofMillis(7400),
                    12,
                    MIXING,
                    false);

    /** Everything runs, nothing is measured: for tests. */
    static final Scale SMOKE =
            new Scale(
                    1,
                    Duration.ofMillis(1),
                    Duration.ZERO,
                    Duration.ZERO,
                    Duration.ZERO,
                    2,
                    20,
                    true);

    /** Long enough for a machine that is busy with other things. */
    Duration timeout() {
        return warmupMax.multipliedBy(30).plus(total.multipliedBy(3)).plusSeconds(180);
    }
}
