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
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "The visit was earlier, and was waited for.")
@Outcome(id = "1, (0|1)", expect = ACCEPTABLE, desc = "The visit was later, and reads the new.")
@Outcome(id = "-1, 0", expect = ACCEPTABLE, desc = "Closed: no visit.")
@Outcome(expect = FORBIDDEN, desc = "An earlier visit was not waited for.")
@State
public class LookThenCountCanary {
    private final AtomicInteger inside = new AtomicInteger();
    private volatile boolean closed;
    private int before;
    private int visited;

    /** Nobody is inside. */
    public LookThenCountCanary() {}

    /** Visits. */
    @Actor
    public void visitor(II_Result r) {
        if (closed) {
            r.r1 = -1;
            return;
        }
        r.r1 = before;
        inside.incrementAndGet();
        visited = 1;
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
        r.r2 = visited;
    }
}
