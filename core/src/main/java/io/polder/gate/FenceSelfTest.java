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
 *   run, pause, run, pause, ...    a bad round            --> readers keep the fence; a warning
 *                                  enough good rounds     --> readers need no fence any more
 *                                  that met, or runs
 *                                  used up
 *                                  no round in any run    --> readers keep it; the log tells
 * }</pre>
 *
 * <p>The kernel documents what the fence does, and has accepted that it is asked for it; so the
 * test is a net, for what claims to be such a kernel and is not, and for a compiler that moves what
 * it should not. It looks for some tenths of a second where two processors are free. On a busy
 * machine few rounds meet: then the test goes on for some seconds, in runs that take little from
 * the program, and is content with what it saw by then. On one processor no fault can be seen, nor
 * do harm: there it is soon content.
 *
 * <p>Runs are short, and each has a new thread: where a thread begins, the system looks for a
 * processor that has least to do, and two that sleep stay where they are.
 *
 * <p>A run that an {@link OutOfMemoryError} ends has no rounds, and is not reported.
 *
 * <p>The thread is a daemon and ends with the test. If it cannot be started, or fails, readers keep
 * their full fence.
 */
final class FenceSelfTest {
    /**
     * What is needed. Without a fence, a bad round was among the first 1,601 that met, in each of
     * six processes (two processors of an AMD EPYC, and sixteen threads that wanted them).
     */
    private static final int ROUNDS = 20_000;

    /** Some ten seconds, with the pauses. Guessed. */
    private static final int RUNS_MAX = 60;

    /** As many show that the calls of the fence work. Guessed. */
    private static final int RUNS_MAX_ALONE = 3;

    /** What is done in this process. */
    static final Plan PLAN = plan(Runtime.getRuntime().availableProcessors());

    private FenceSelfTest() {}

    /**
     * How much to test.
     *
     * @param rounds that are to meet and be good
     * @param runsMax after so many runs, those that were have to do
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

    /** How much on a machine with so many processors. */
    static Plan plan(int processors) {
        return new Plan(
                ROUNDS,
                processors > 1 ? RUNS_MAX : RUNS_MAX_ALONE,
                TimeUnit.MILLISECONDS.toNanos(20),
                20,
                200);
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
        boolean any = false;
        for (int runs = 1; runs <= plan.runsMax(); runs++) {
            if (runs > 1) {
                pause(plan.pauseMillisAfter(runs - 1));
            }
            FenceLitmusTest litmus = null;
            try {
                if (good < plan.rounds()) {
                    litmus = new FenceLitmusTest(asymmetric);
                    litmus.run(new FenceLitmusTest.Limits(plan.rounds() - good, plan.runNanos()));
                    good += litmus.bad() == 0 ? litmus.met() : 0;
                    any = true;
                }
                if (litmus == null || litmus.bad() == 0) {
                    if (good >= plan.rounds()) {
                        underTest.free(counted(good, runs));
                        return;
                    }
                    underTest.tried("good " + good + " of " + plan.rounds());
                }
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
        if (any) {
            underTest.free(counted + "; too busy for " + plan.rounds());
            return;
        }
        underTest.keep(counted);
        log(Level.INFO, "the cheaper one could not be tested: " + counted);
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
