package io.polder.gate;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Proves a fence that is on trial, by one {@link FenceTrial} after another, in a thread of its own.
 *
 * <pre>{@code
 *   trial, pause, trial, pause, ...    one bad round           --> keep it full, and complain
 *                                      enough good rounds      --> free visitors of their fence
 *                                      trials used up before   --> keep it full, and say so
 * }</pre>
 *
 * <p>The first rounds are interpreted, when nothing can be found: they serve to have the code of
 * visitors compiled. So it takes many rounds, some tens of milliseconds of two processors. Where
 * others use the processors, a round takes a thousand times as long; therefore what counts is
 * rounds, not time. Trials are short and ever further apart, to take little from the program: some
 * seconds at most, over more than an hour.
 *
 * <p>A trial that an {@link OutOfMemoryError} ends is one without rounds, and nobody is told.
 *
 * <p>The thread is a daemon and ends with the proof. If it cannot be started, or fails, visitors
 * keep their full fence.
 */
final class FenceProof {
    /**
     * What is needed. Without a fence, code that is compiled has a bad round among some thousand;
     * the first one of a new process came after 24,004 (AMD EPYC, two busy processors).
     */
    static final Plan PLAN = new Plan(100_000, 100, TimeUnit.MILLISECONDS.toNanos(50), 200, 60_000);

    private FenceProof() {}

    /**
     * How to prove.
     *
     * @param rounds that must have been good
     * @param trialsMax how many trials they may take
     * @param trialNanos how long a trial may take
     * @param pauseMillis between the first two trials; doubles each time
     * @param pauseMillisMax no longer than that
     */
    record Plan(int rounds, int trialsMax, long trialNanos, long pauseMillis, long pauseMillisMax) {
        long pauseMillisAfter(int trials) {
            int doublings = Math.min(trials - 1, Integer.SIZE);
            return Math.min(pauseMillis << doublings, pauseMillisMax);
        }
    }

    /**
     * Begins to prove.
     *
     * @param onTrial is told what is found
     * @param asymmetric what is tried
     */
    static void start(GateFence onTrial, GateFence asymmetric) {
        try {
            QuietDaemon.of("polder-fence-proof", () -> proveOrKeep(onTrial, asymmetric)).start();
        } catch (Throwable noThread) {
            onTrial.keep("not tried: no thread can be started");
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

    private static void proveOrKeep(GateFence onTrial, GateFence asymmetric) {
        try {
            prove(onTrial, asymmetric, PLAN);
        } catch (Throwable refused) {
            onTrial.keep("the trial failed: " + refused);
            log(Level.WARNING, "the trial of the cheaper one failed: " + refused);
        }
    }

    /** Proves in this thread. */
    static void prove(GateFence onTrial, GateFence asymmetric, Plan plan) {
        int good = 0;
        for (int trials = 1; trials <= plan.trialsMax(); trials++) {
            if (trials > 1) {
                pause(plan.pauseMillisAfter(trials - 1));
            }
            FenceTrial trial = null;
            try {
                if (good < plan.rounds()) {
                    trial = new FenceTrial(asymmetric);
                    trial.run(new FenceTrial.Limits(plan.rounds() - good, plan.trialNanos()));
                    good += trial.bad() == 0 ? trial.rounds() : 0;
                }
                if (good >= plan.rounds()) {
                    onTrial.free(counted(good, trials));
                    return;
                }
                onTrial.keep(
                        "the asymmetric one is on trial, good " + good + " of " + plan.rounds());
            } catch (OutOfMemoryError full) {
                // Of the Java heap, or of threads: it may be over at the next trial.
            }
            if (trial != null && trial.bad() > 0) {
                onTrial.keep(trial.describe());
                log(Level.WARNING, "the cheaper one failed: " + trial.describe());
                return;
            }
        }
        String counted = counted(good, plan.trialsMax());
        onTrial.keep(counted + "; needed " + plan.rounds());
        log(Level.INFO, "the cheaper one could not be tried often enough: " + counted);
    }

    private static String counted(int good, int trials) {
        return "tried " + good + " times in " + trials + " trials, bad 0";
    }

    /** Or less, which does no harm. */
    private static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private static void log(Level level, String why) {
        System.getLogger("io.polder").log(level, "gates use a full fence: " + why);
    }
}
