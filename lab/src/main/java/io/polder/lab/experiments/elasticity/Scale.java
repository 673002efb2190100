package io.polder.lab.experiments.elasticity;

import java.time.Duration;

/**
 * How large workloads are, how often they are measured and how closely they are watched, in a quick
 * run and in a full one.
 *
 * @param rounds fresh JVMs for each workload and contender
 * @param divisor of the number of loaders
 * @param points samples on the way up and on the way down, beside those at the turns
 * @param warmup time of the code before anything is measured, and of memory in a steady state
 * @param rest wait before the samples of the valley and the end, in which memory decays
 * @param variants whether {@link ListedMalloc} is measured, which no metric needs
 */
record Scale(
        int rounds, int divisor, int points, Duration warmup, Duration rest, boolean variants) {
    /** All seven workloads in two minutes. */
    static final Scale QUICK = new Scale(1, 8, 2, Duration.ofMillis(450), Duration.ZERO, false);

    /** The sizes of the issue; longer than the pool's decay in the valley. */
    static final Scale FULL =
            new Scale(3, 1, 10, Duration.ofMillis(3000), Duration.ofMillis(1500), true);

    /** Everything runs, nothing is measured: for tests. */
    static final Scale SMOKE = new Scale(1, 100, 1, Duration.ZERO, Duration.ZERO, false);

    /** Long enough for a machine that is busy with other things. */
    Duration timeout() {
        return warmup.plus(rest.multipliedBy(2)).multipliedBy(3).plusMinutes(5);
    }

    /** Whether a contender is measured. */
    boolean measures(Contender contender) {
        return switch (contender.kind()) {
            case POLDER, IDEAL, ASKED, STEADY -> true;
            case LISTED -> variants;
        };
    }
}
