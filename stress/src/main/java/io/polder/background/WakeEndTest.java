package io.polder.background;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/**
 * A task is scheduled. Its step begins, looks for work and ends because it found none, or in spite
 * of what it found, while another thread leaves work and wakes the task. The figures: whether the
 * step saw the work, whether it must run again, whether the waker must schedule it.
 */
@JCStressTest
@Outcome(id = "true, false, false", expect = ACCEPTABLE, desc = "Woken before the step: it sees.")
@Outcome(id = "true, true, false", expect = ACCEPTABLE, desc = "Woken in the step, which sees.")
@Outcome(id = "true, false, true", expect = ACCEPTABLE, desc = "Woken after; seen before that.")
@Outcome(id = "false, true, false", expect = ACCEPTABLE, desc = "Woken in the step: runs again.")
@Outcome(id = "false, false, true", expect = ACCEPTABLE, desc = "Woken after: scheduled anew.")
@Outcome(expect = FORBIDDEN, desc = "The wake-up is lost, or the task is in the queue twice.")
@State
public class WakeEndTest {
    private final Task task = QuietBackground.task();
    private final Object monitor = new Object();
    private volatile boolean work;

    /** Schedules the task. */
    public WakeEndTest() {
        task.scheduleLocked();
    }

    /** Runs the step. */
    @Actor
    public void step(ZZZ_Result r) {
        synchronized (monitor) {
            task.beginLocked();
        }
        r.r1 = work;
        synchronized (monitor) {
            r.r2 = task.endLocked(false);
        }
    }

    /** Leaves work. */
    @Actor
    public void wake(ZZZ_Result r) {
        work = true;
        if (task.isToBeWoken()) {
            synchronized (monitor) {
                r.r3 = task.wakeLocked();
            }
        }
    }
}
