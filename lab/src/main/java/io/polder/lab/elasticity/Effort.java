package io.polder.lab.elasticity;

import java.time.Duration;
import java.util.List;

/**
 * How large workloads are, how often they are measured and how closely they are watched.
 *
 * @param rounds fresh JVMs for each workload and contender
 * @param divisor of the number of loaders
 * @param points samples on the way up and on the way down, beside those at the turns
 * @param warmup time of the code before anything is measured, and of memory in a steady state
 * @param settle wait before the samples of the valley and the end, in which memory decays
 * @param variants whether {@link ListedMalloc} is measured, which no metric needs
 */
record Effort(
        int rounds, int divisor, int points, Duration warmup, Duration settle, boolean variants) {
    /** All seven workloads in two minutes. */
    static final Effort QUICK = new Effort(1, 8, 2, Duration.ofMillis(450), Duration.ZERO, false);

    /** The sizes of the issue; longer than the pool's decay in the valley. */
    static final Effort FULL =
            new Effort(3, 1, 10, Duration.ofMillis(3000), Duration.ofMillis(1500), true);

    /** Everything runs, nothing is measured: for tests. */
    static final Effort SMOKE = new Effort(1, 100, 1, Duration.ZERO, Duration.ZERO, false);

    /** Long enough for a machine that is busy with other things. */
    Duration timeout() {
        return warmup.plus(settle.multipliedBy(2)).multipliedBy(3).plusMinutes(5);
    }

    /** Whether a contender is measured. */
    boolean measures(Contender contender) {
        return switch (contender.kind()) {
            case POLDER, IDEAL, ASKED, STEADY -> true;
            case LISTED -> variants;
        };
    }

    /** Arguments from which {@link #parse} makes the same effort. */
    List<String> toArgs() {
        return List.of(
                Integer.toString(rounds),
                Integer.toString(divisor),
                Integer.toString(points),
                Long.toString(warmup.toMillis()),
                Long.toString(settle.toMillis()),
                Boolean.toString(variants));
    }

    /** Reads what {@link #toArgs} wrote. */
    static Effort parse(List<String> args) {
        return new Effort(
                Integer.parseInt(args.get(0)),
                Integer.parseInt(args.get(1)),
                Integer.parseInt(args.get(2)),
                Duration.ofMillis(Long.parseLong(args.get(3))),
                Duration.ofMillis(Long.parseLong(args.get(4))),
                Boolean.parseBoolean(args.get(5)));
    }
}
