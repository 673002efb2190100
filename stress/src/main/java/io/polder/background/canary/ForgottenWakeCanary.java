package io.polder.background.canary;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

import java.util.concurrent.atomic.AtomicBoolean;

/** A task that is scheduled or is not, and stays scheduled until its step has ended. */
@JCStressTest
@Outcome(id = "true, false, false", expect = ACCEPTABLE, desc = "Woken before the step: it sees.")
@Outcome(id = "true, true, false", expect = ACCEPTABLE, desc = "Woken in the step, which sees.")
@Outcome(id = "true, false, true", expect = ACCEPTABLE, desc = "Woken after; seen before that.")
@Outcome(id = "false, true, false", expect = ACCEPTABLE, desc = "Woken in the step: runs again.")
@Outcome(id = "false, false, true", expect = ACCEPTABLE, desc = "Woken after: scheduled anew.")
@Outcome(expect = FORBIDDEN, desc = "The wake-up is lost, or the task is in the queue twice.")
@State
public class ForgottenWakeCanary {
    private final AtomicBoolean scheduled = new AtomicBoolean(true);
    private volatile boolean work;

    /** The task is scheduled. */
    public ForgottenWakeCanary() {}

    /** Runs the step. */
    @Actor
    public void step(ZZZ_Result r) {
        r.r1 = work;
        scheduled.set(false);
        r.r2 = false;
    }

    /** Leaves work. */
    @Actor
    public void wake(ZZZ_Result r) {
        work = true;
        r.r3 = !scheduled.get() && scheduled.compareAndSet(false, true);
    }
}
