package io.polder.heap.space;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A session uses an object while the heap is closed, after which its pages go. */
@JCStressTest
@Outcome(id = "false", expect = ACCEPTABLE, desc = "It was over before, or refused.")
@Outcome(id = "true", expect = FORBIDDEN, desc = "The heap was closed under it.")
@State
public class SessionCloseTest {
    private final MovableInSession object = new MovableInSession(Region.STABLE);

    /** Uses the object. */
    @Actor
    public void user(Z_Result r) {
        object.meet();
        r.r1 = object.outlivesClose(MovableInSession.Claim.WHOLE);
    }

    /** Closes the gate. */
    @Actor
    public void closer() {
        object.meet();
        object.close();
    }

    /** Gives all back. */
    @Arbiter
    public void end() {
        object.giveBack();
    }
}
