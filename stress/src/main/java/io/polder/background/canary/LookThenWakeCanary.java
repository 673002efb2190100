package io.polder.background.canary;

import io.polder.background.WakeWakeTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A task that is put into the queue after a look whether it is there, without a lock. */
@JCStressTest
@JCStressMeta(WakeWakeTest.class)
@State
public class LookThenWakeCanary {
    private volatile boolean scheduled;

    /** Nobody has woken the task. */
    public LookThenWakeCanary() {}

    /** Wakes it. */
    @Actor
    public void first(ZZ_Result r) {
        r.r1 = schedule();
    }

    /** Wakes it, too. */
    @Actor
    public void second(ZZ_Result r) {
        r.r2 = schedule();
    }

    private boolean schedule() {
        if (scheduled) {
            return false;
        }
        scheduled = true;
        return true;
    }
}
