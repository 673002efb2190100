package io.polder.background;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/** As {@link WakeEndTest}, with work that is guarded by a lock. */
@JCStressTest
@JCStressMeta(WakeEndTest.class)
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
