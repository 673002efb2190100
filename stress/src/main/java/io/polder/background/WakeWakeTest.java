package io.polder.background;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Two threads wake an idle task. The figures: whether each must schedule it. */
@JCStressTest
@Outcome(
        id = {"true, false", "false, true"},
        expect = ACCEPTABLE,
        desc = "One of them schedules it.")
@Outcome(expect = FORBIDDEN, desc = "The task is in the queue twice, or not at all.")
@State
public class WakeWakeTest {
    private final Task task = QuietBackground.task();
    private final Object monitor = new Object();

    /** Nobody has woken the task. */
    public WakeWakeTest() {}

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

    /** As the background does: whether this put the task into the queue. */
    private boolean schedule() {
        if (!task.isToBeWoken()) {
            return false;
        }
        synchronized (monitor) {
            boolean first = task.wakeLocked();
            task.scheduleLocked();
            return first;
        }
    }
}
