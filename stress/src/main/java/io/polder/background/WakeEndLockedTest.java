package io.polder.background;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/** As {@link WakeEndTest}, with work that is guarded by a lock. */
@JCStressTest
@Outcome(id = "true, false, false", expect = ACCEPTABLE, desc = "Woken before the step: it sees.")
@Outcome(id = "true, true, false", expect = ACCEPTABLE, desc = "Woken in the step, which sees.")
@Outcome(id = "true, false, true", expect = ACCEPTABLE, desc = "Woken after; seen before that.")
@Outcome(id = "false, true, false", expect = ACCEPTABLE, desc = "Woken in the step: runs again.")
@Outcome(id = "false, false, true", expect = ACCEPTABLE, desc = "Woken after: scheduled anew.")
@Outcome(expect = FORBIDDEN, desc = "The wake-up is lost, or the task is in the queue twice.")
@State
public class WakeEndLockedTest {
    private final TaskState state = new TaskState();
    private final Object lock = new Object();
    private boolean work;

    /** Schedules the task. */
    public WakeEndLockedTest() {
        state.schedule();
    }

    /** Runs the step. */
    @Actor
    public void step(ZZZ_Result r) {
        state.begin();
        synchronized (lock) {
            r.r1 = work;
        }
        r.r2 = state.end(false);
    }

    /** Leaves work. */
    @Actor
    public void wake(ZZZ_Result r) {
        synchronized (lock) {
            work = true;
        }
        r.r3 = state.wake();
    }
}
