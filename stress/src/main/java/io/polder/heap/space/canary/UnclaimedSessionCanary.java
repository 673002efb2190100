package io.polder.heap.space.canary;

import io.polder.heap.space.MovableInSession;
import io.polder.heap.space.MovableInSession.Claim;
import io.polder.heap.space.SessionCloseTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A session that does not claim. */
@JCStressTest
@JCStressMeta(SessionCloseTest.class)
@State
public class UnclaimedSessionCanary {
    private static final int STABLE = 0;

    private final MovableInSession object = new MovableInSession(STABLE);

    /** Uses the object. */
    @Actor
    public void user(Z_Result r) {
        object.meet();
        r.r1 = object.outlivesClose(Claim.NEVER);
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
