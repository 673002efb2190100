package io.polder.lab.experiments.blocks;

import java.time.Duration;

/**
 * How much is measured, in a quick run and in a full one.
 *
 * @param rounds JVMs of each contender for time, and for each peak and burst
 * @param warmup of each workload and number of threads before they are timed
 * @param window of time for a sample
 * @param windows samples of each workload and number of threads in a JVM
 * @param patience windows of a workload and number of threads that may be lost to the compilers
 * @param watched time for a peak
 * @param burstBytes what lives at the peak of a burst
 * @param traffic time in which a burst gets there
 * @param idleSeconds time after a burst
 * @param sideBySide whether peaks and bursts of contenders, which are not timed, run together
 */
record Scale(
        int rounds,
        Duration warmup,
        Duration window,
        int windows,
        int patience,
        Duration watched,
        long burstBytes,
        Duration traffic,
        int idleSeconds,
        boolean sideBySide) {
    /** A minute on two idle cores. */
    static final Scale QUICK =
            new Scale(
                    1,
                    Duration.ofMillis(100),
                    Duration.ofMillis(15),
                    5,
                    20,
                    Duration.ofMillis(300),
                    64L << 20,
                    Duration.ofSeconds(2),
                    6,
                    true);

    /** A burst of 256 MiB in half a minute. */
    static final Scale FULL =
            new Scale(
                    3,
                    Duration.ofMillis(200),
                    Duration.ofMillis(100),
                    5,
                    50,
                    Duration.ofSeconds(3),
                    256L << 20,
                    Duration.ofSeconds(30),
                    10,
                    false);

    /** Everything runs, nothing is measured: for tests. */
    static final Scale SMOKE =
            new Scale(
                    1,
                    Duration.ofMillis(1),
                    Duration.ofMillis(1),
                    1,
                    0,
                    Duration.ofMillis(10),
                    1L << 20,
                    Duration.ofMillis(50),
                    5,
                    true);

    /** Long enough for a machine that is busy with other things. */
    Duration timeout() {
        return traffic.plusSeconds(idleSeconds).plus(watched).multipliedBy(3).plusMinutes(10);
    }
}
