package io.polder.background.canary;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

import java.util.concurrent.atomic.AtomicInteger;

/** The states of the real one, with work that is neither volatile nor guarded by a lock. */
@JCStressTest
@Outcome(id = "true, false, false", expect = ACCEPTABLE, desc = "Woken before the step: it sees.")
@Outcome(id = "true, true, false", expect = ACCEPTABLE, desc = "Woken in the step, which sees.")
@Outcome(id = "true, false, true", expect = ACCEPTABLE, desc = "Woken after; seen before that.")
@Outcome(id = "false, true, false", expect = ACCEPTABLE, desc = "Woken in the step: runs again.")
@Outcome(id = "false, false, true", expect = ACCEPTABLE, desc = "Woken after: scheduled anew.")
@Outcome(expect = FORBIDDEN, desc = "The wake-up is lost, or the task is in the queue twice.")
@State
public class PlainWakeCanary {
    private static final int IDLE = 0;
    private static final int SCHEDULED = 1;
    private static final int RUNNING = 2;
    private static final int WOKEN = 3;

    private final AtomicInteger state = new AtomicInteger(SCHEDULED);
    private boolean work;

    /** The task is scheduled. */
    public PlainWakeCanary() {}

    /** Runs the step. */
    @Actor
    public void step(ZZZ_Result r) {
        state.setRelease(RUNNING);
        r.r1 = work;
        r.r2 = !state.compareAndSet(RUNNING, IDLE);
    }

    /** Leaves work. */
    @Actor
    public void wake(ZZZ_Result r) {
        work = true;
        int now = state.getPlain();
        if (now == RUNNING && state.compareAndSet(RUNNING, WOKEN)) {
            return;
        }
        r.r3 = state.compareAndSet(IDLE, SCHEDULED);
    }
}
