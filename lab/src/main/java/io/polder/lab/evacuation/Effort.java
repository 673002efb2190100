package io.polder.lab.evacuation;

import java.time.Duration;

/**
 * How large and how long everything is.
 *
 * @param gates enter and leave
 * @param reads of objects that do not move
 * @param traffic on a heap that is compacted
 * @param exhaustion of memory while it is
 * @param shift of sizes
 * @param stall of a reader
 */
record Effort(
        GatePlan gates,
        ReadPlan reads,
        TrafficPlan traffic,
        ExhaustionPlan exhaustion,
        ShiftPlan shift,
        StallPlan stall) {
    private static final long MIB = 1L << 20;
    private static final double RATE = 50_000;

    /** Everything within 45 seconds. */
    static final Effort QUICK =
            new Effort(
                    new GatePlan(4, millis(10), millis(400)),
                    new ReadPlan(1, 7, millis(15), 32 * MIB, millis(700)),
                    new TrafficPlan(
                            1,
                            24 * MIB,
                            2,
                            millis(120),
                            millis(400),
                            new RateSearch(4, millis(200), 1),
                            millis(700)),
                    new ExhaustionPlan(200, millis(700), 3 * MIB),
                    new ShiftPlan(32 * MIB, millis(1500), millis(200), 3, millis(500)),
                    new StallPlan(16 * MIB, RATE, millis(1000), millis(300)));

    /** What the figures are of. */
    static final Effort FULL =
            new Effort(
                    new GatePlan(25, millis(40), millis(3000)),
                    new ReadPlan(3, 25, millis(50), 128 * MIB, millis(3000)),
                    new TrafficPlan(
                            3,
                            128 * MIB,
                            8,
                            millis(500),
                            millis(5000),
                            new RateSearch(6, millis(1000), 2),
                            millis(4000)),
                    new ExhaustionPlan(5000, Duration.ofMinutes(4), 3 * MIB),
                    new ShiftPlan(512 * MIB, millis(5000), millis(5000), 10, millis(4000)),
                    new StallPlan(64 * MIB, RATE, millis(1000), millis(3000)));

    /** Everything runs, nothing is measured: for tests. */
    static final Effort SMOKE =
            new Effort(
                    new GatePlan(2, millis(2), Duration.ZERO),
                    new ReadPlan(1, 2, millis(2), MIB, Duration.ZERO),
                    new TrafficPlan(
                            1,
                            4 * MIB,
                            2,
                            millis(20),
                            millis(40),
                            new RateSearch(1, millis(20), 1),
                            Duration.ZERO),
                    new ExhaustionPlan(2, Duration.ofSeconds(20), 3 * MIB),
                    new ShiftPlan(4 * MIB, millis(20), millis(2), 2, millis(1)),
                    new StallPlan(4 * MIB, 20_000, millis(50), millis(20)));

    /** Long enough for a JVM on a machine that is busy with other things. */
    static Duration timeout() {
        return Duration.ofMinutes(20);
    }

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }
}
