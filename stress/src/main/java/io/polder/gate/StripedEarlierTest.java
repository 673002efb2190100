package io.polder.gate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A visit to a gate with counters, against a grace period. The figures: what the visit read, and
 * whether its end was seen. All pairs of threads share the gate.
 */
@JCStressTest
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "The visit was earlier, and was waited for.")
@Outcome(id = "1, (0|1)", expect = ACCEPTABLE, desc = "The visit was later, and reads the new.")
@Outcome(expect = FORBIDDEN, desc = "An earlier visit was not waited for.")
@State
public class StripedEarlierTest {
    private static final Gate GATE = new StripedGate();

    private final Passing passing = new Passing(GATE);

    /** Nobody is inside. */
    public StripedEarlierTest() {}

    /** Visits. */
    @Actor
    public void visitor(II_Result r) {
        r.r1 = passing.visit();
    }

    /** Waits for earlier visits. */
    @Actor
    public void waiter(II_Result r) {
        r.r2 = passing.awaitEarlier();
    }
}
