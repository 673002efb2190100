package io.polder.background.canary;

import io.polder.background.WakeEndTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

import java.util.concurrent.atomic.AtomicInteger;

/** The states of the real one, with work that is neither volatile nor guarded by a lock. */
@JCStressTest
@JCStressMeta(WakeEndTest.class)
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
