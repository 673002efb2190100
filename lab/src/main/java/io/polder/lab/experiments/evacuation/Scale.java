package io.polder.lab.experiments.evacuation;

import java.time.Duration;
import java.util.List;

/**
 * How large and how long everything is, in a quick run and in a full one.
 *
 * @param gates enter and leave
 * @param reads of objects that do not move
 * @param traffic on a heap that is compacted
 * @param exhaustion of memory while it is
 * @param shift of sizes
 * @param stall of a reader
 * @param fullHeap in which objects are replaced
 * @param access to small objects
 */
record Scale(
        GatePlan gates,
        ReadPlan reads,
        TrafficPlan traffic,
        ExhaustionPlan exhaustion,
        ShiftPlan shift,
        StallPlan stall,
        FullHeapPlan fullHeap,
        AccessPlan access) {
    private static final long MIB = 1L << 20;
    private static final double RATE = 50_000;

    /** Everything within 50 seconds. */
    static final Scale QUICK =
            new Scale(
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
                    new StallPlan(16 * MIB, RATE, millis(1000), millis(300)),
                    new FullHeapPlan(128 * MIB, millis(1500), millis(700)),
                    new AccessPlan(2_000_000, 7, millis(40), millis(1500)));

    /** What the figures are of. */
    static final Scale FULL =
            new Scale(
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
                    new StallPlan(64 * MIB, RATE, millis(1000), millis(3000)),
                    new FullHeapPlan(2048 * MIB, Duration.ofSeconds(30), millis(5000)),
                    new AccessPlan(50_000_000, 25, millis(100), millis(6000)));

    /** Everything runs, nothing is measured: for tests. */
    static final Scale SMOKE =
            new Scale(
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
                    new StallPlan(4 * MIB, 20_000, millis(50), millis(20)),
                    new FullHeapPlan(64 * MIB, millis(50), millis(20)),
                    new AccessPlan(5000, 2, millis(2), Duration.ZERO));

    /** Long enough for a JVM on a machine that is busy with other things. */
    static Duration timeout() {
        return Duration.ofMinutes(20);
    }

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

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
    }

    /**
     * How reads are compared with copies.
     *
     * @param jvms one after the other
     * @param rounds each kind once in each
     * @param window in which reads are counted
     * @param coldBytes of the objects that are in no cache
     * @param warmup time of the code before the first round
     */
    record ReadPlan(int jvms, int rounds, Duration window, long coldBytes, Duration warmup) {}

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
            Duration warmup) {}

    /**
     * How often a heap runs out of memory while it is compacted.
     *
     * @param cycles of each policy in each way; in which that happens, where it can be made to
     * @param time after which fewer are enough
     * @param liveBytes of objects
     */
    record ExhaustionPlan(int cycles, Duration time, long liveBytes) {}

    /**
     * How large the size-shift workload is.
     *
     * @param budgetBytes of living values; beyond it one that is drawn at random goes
     * @param rest after each phase, in which nobody does anything
     * @param restUnmoved the same where nothing happens by itself anyway
     * @param points samples within a phase and within a rest
     * @param warmup time of the code on a store of its own, before the first value
     */
    record ShiftPlan(
            long budgetBytes, Duration rest, Duration restUnmoved, int points, Duration warmup) {
        /** Fewer bytes than the mean of the smallest values: so many fit into the arrays. */
        private static final long BYTES_PER_VALUE_LEAST = 64;

        /** The same with less memory, and without rests. */
        ShiftPlan smaller(int divisor) {
            return new ShiftPlan(
                    budgetBytes / divisor, Duration.ZERO, Duration.ZERO, 1, Duration.ZERO);
        }

        /** How many values there may be. */
        int valuesMax() {
            return Math.toIntExact(budgetBytes / BYTES_PER_VALUE_LEAST);
        }

        /** How long a contender rests after each phase. */
        Duration restOf(ShiftContender contender) {
            return contender == ShiftContender.HEAP ? rest : restUnmoved;
        }
    }

    /**
     * How long a reader stalls, and what others do meanwhile.
     *
     * @param liveBytes of objects
     * @param perSecond operations of all threads
     * @param stall of one reader
     * @param warmup time of the code before
     */
    record StallPlan(long liveBytes, double perSecond, Duration stall, Duration warmup) {}

    /**
     * How large a heap is in which objects are replaced when it is nearly full, and for how long.
     *
     * @param limitBytes of the heap
     * @param time for which each operation is timed
     * @param warmup time of the code before, on the same heap
     */
    record FullHeapPlan(long limitBytes, Duration time, Duration warmup) {
        /** Of the array of handles, in a Java heap: a word for what takes several in the heap. */
        long arrayBytes() {
            return limitBytes / 8;
        }
    }

    /**
     * How small objects are used.
     *
     * @param objects too many for the caches
     * @param rounds each kind once in each
     * @param window in which uses are counted
     * @param warmup time of the code before the first round
     */
    record AccessPlan(int objects, int rounds, Duration window, Duration warmup) {
        /** Of the array of handles. */
        long arrayBytes() {
            return (long) objects * Long.BYTES;
        }
    }
}
