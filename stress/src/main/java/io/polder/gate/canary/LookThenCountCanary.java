package io.polder.gate.canary;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A counter that is raised after a look whether the gate is closed, instead of both at once.
 */
@JCStressTest
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "The reader was earlier, and was waited for.")
@Outcome(id = "1, (0|1)", expect = ACCEPTABLE, desc = "The reader was later, and reads the new.")
@Outcome(id = "-1, 0", expect = ACCEPTABLE, desc = "Closed: not let in.")
@Outcome(expect = FORBIDDEN, desc = "An earlier reader was not waited for.")
@State
public class LookThenCountCanary {
    private final AtomicInteger inside = new AtomicInteger();
    private volatile boolean closed;
    private int before;
    private int written;

    /** Nobody is inside. */
    public LookThenCountCanary() {}

    /** Enters, reads and leaves. */
    @Actor
    public void reader(II_Result r) {
        if (closed) {
            r.r1 = -1;
            return;
        }
        r.r1 = before;
        inside.incrementAndGet();
        written = 1;
        inside.decrementAndGet();
    }

    /** Closes. */
    @Actor
    public void waiter(II_Result r) {
        before = 1;
        closed = true;
        while (inside.get() != 0) {
            Thread.onSpinWait();
        }
        r.r2 = written;
    }
}
