package io.polder.background.canary;

import io.polder.background.WakeEndTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

import java.util.concurrent.atomic.AtomicBoolean;

/** A task that is scheduled or is not, and stays scheduled until its step has ended. */
@JCStressTest
@JCStressMeta(WakeEndTest.class)
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
