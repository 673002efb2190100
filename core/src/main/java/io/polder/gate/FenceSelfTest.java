package io.polder.gate;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The self-test of an asymmetric fence: one {@link FenceLitmusTest} after another, in a thread of
 * its own.
 *
 * <pre>{@code
 *   run, pause, run, pause, ...    one bad round        --> readers keep the full fence; a warning
 *                                  enough good rounds   --> readers need no fence any more
 *                                  runs used up before  --> readers keep it; the log says so
 * }</pre>
 *
 * <p>The first rounds are interpreted, when no fault can show: they serve to have the code of
 * readers compiled. So the test takes many rounds, some tens of milliseconds of two processors.
 * Where other work has the processors, a round takes a thousand times as long; therefore rounds
 * count, not time. Runs are short and ever further apart, to take little from the program: some
 * seconds at most, over more than an hour.
 *
 * <p>A run that an {@link OutOfMemoryError} ends has no rounds, and is not reported.
 *
 * <p>The thread is a daemon and ends with the test. If it cannot be started, or fails, readers keep
 * their full fence.
 */
final class FenceSelfTest {
    /**
     * What is needed. Without a fence, code that is compiled has a bad round among some thousand;
     * the first one of a new process came after 24,004 (AMD EPYC, two busy processors).
     */
    static final Plan PLAN = new Plan(100_000, 100, TimeUnit.MILLISECONDS.toNanos(50), 200, 60_000);

    private FenceSelfTest() {}

    /**
     * How much to test.
     *
     * @param rounds that must have been good
     * @param runsMax how many runs they may take
     * @param runNanos how long a run may take
     * @param pauseMillis between the first two runs; doubles each time
     * @param pauseMillisMax no longer than that
     */
    record Plan(int rounds, int runsMax, long runNanos, long pauseMillis, long pauseMillisMax) {
        long pauseMillisAfter(int runs) {
            int doublings = Math.min(runs - 1, Integer.SIZE);
            return Math.min(pauseMillis << doublings, pauseMillisMax);
        }
    }

    /**
     * Begins the test.
     *
     * @param underTest is told what is found
     * @param asymmetric what is tested
     */
    static void start(GateFence underTest, GateFence asymmetric) {
        try {
            QuietDaemon.of("polder-fence-test", () -> runOrKeep(underTest, asymmetric)).start();
        } catch (Throwable noThread) {
            underTest.keep("not tested: no thread can be started");
        }
    }

    /** Has complaints logged, as far as a thread can be started; the caller may hold a lock. */
    static void complain(List<String> complaints) {
        for (String complaint : complaints) {
            try {
                QuietDaemon.of(
                                "polder-fence-complaint",
                                () -> System.getLogger("io.polder").log(Level.WARNING, complaint))
                        .start();
            } catch (Throwable noThread) {
                // The reason of the fence, in statistics, has to do
            }
        }
    }

    private static void runOrKeep(GateFence underTest, GateFence asymmetric) {
        try {
            run(underTest, asymmetric, PLAN);
        } catch (Throwable refused) {
            underTest.keep("its self-test failed: " + refused);
            log(Level.WARNING, "the self-test of the cheaper one failed: " + refused);
        }
    }

    /** Runs the test in this thread. */
    static void run(GateFence underTest, GateFence asymmetric, Plan plan) {
        int good = 0;
        for (int runs = 1; runs <= plan.runsMax(); runs++) {
            if (runs > 1) {
                pause(plan.pauseMillisAfter(runs - 1));
            }
            FenceLitmusTest litmus = null;
            try {
                if (good < plan.rounds()) {
                    litmus = new FenceLitmusTest(asymmetric);
                    litmus.run(new FenceLitmusTest.Limits(plan.rounds() - good, plan.runNanos()));
                    good += litmus.bad() == 0 ? litmus.rounds() : 0;
                }
                if (good >= plan.rounds()) {
                    underTest.free(counted(good, runs));
                    return;
                }
                underTest.keep(
                        "the asymmetric one is under test, good " + good + " of " + plan.rounds());
            } catch (OutOfMemoryError full) {
                // Of the Java heap, or of threads: it may be over at the next litmus.
            }
            if (litmus != null && litmus.bad() > 0) {
                underTest.keep(litmus.describe());
                log(Level.WARNING, "the cheaper one failed: " + litmus.describe());
                return;
            }
        }
        String counted = counted(good, plan.runsMax());
        underTest.keep(counted + "; needed " + plan.rounds());
        log(Level.INFO, "the cheaper one could not be tested often enough: " + counted);
    }

    private static String counted(int good, int runs) {
        return "tested " + good + " times in " + runs + " runs, bad 0";
    }

    /** Or less, which does no harm. */
    private static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private static void log(Level level, String why) {
        System.getLogger("io.polder").log(level, "gates use a full fence: " + why);
    }
}
