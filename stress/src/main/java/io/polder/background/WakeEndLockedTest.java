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
    private final Task task = QuietBackground.task();
    private final Object monitor = new Object();
    private final Object lock = new Object();
    private boolean work;

    /** Schedules the task. */
    public WakeEndLockedTest() {
        task.scheduleLocked();
    }

    /** Runs the step. */
    @Actor
    public void step(ZZZ_Result r) {
        synchronized (monitor) {
            task.beginLocked();
        }
        synchronized (lock) {
            r.r1 = work;
        }
        synchronized (monitor) {
            r.r2 = task.endLocked(false);
        }
    }

    /** Leaves work. */
    @Actor
    public void wake(ZZZ_Result r) {
        synchronized (lock) {
            work = true;
        }
        if (task.isToBeWoken()) {
            synchronized (monitor) {
                r.r3 = task.wakeLocked();
            }
        }
    }
}
