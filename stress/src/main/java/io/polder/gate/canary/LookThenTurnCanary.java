package io.polder.gate.canary;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Counters of two phases, where the phase is read before the visit is counted, and looked at
 * before it is turned over.
 */
@JCStressTest
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "The visit was earlier, and was waited for.")
@Outcome(id = "1, (0|1)", expect = ACCEPTABLE, desc = "The visit was later, and reads the new.")
@Outcome(expect = FORBIDDEN, desc = "An earlier visit was not waited for.")
@State
public class LookThenTurnCanary {
    private final AtomicIntegerArray inside = new AtomicIntegerArray(2);
    private volatile int phase;
    private int before;
    private int visited;

    /** Nobody is inside. */
    public LookThenTurnCanary() {}

    /** Visits. */
    @Actor
    public void visitor(II_Result r) {
        int mine = phase;
        inside.incrementAndGet(mine);
        r.r1 = before;
        visited = 1;
        inside.decrementAndGet(mine);
    }

    /** Waits for earlier visits. */
    @Actor
    public void waiter(II_Result r) {
        while (inside.get(0) != 0) {
            Thread.onSpinWait();
        }
        before = 1;
        phase = 1;
        r.r2 = visited;
    }
}
