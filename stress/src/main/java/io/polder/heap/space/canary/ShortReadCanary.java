package io.polder.heap.space.canary;

import io.polder.heap.space.MovableInSession;
import io.polder.heap.space.MovableInSession.Claim;
import io.polder.heap.space.SessionReadTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** A session that ends its claim after its first use, and reads then. */
@JCStressTest
@JCStressMeta(SessionReadTest.class)
@State
public class ShortReadCanary {
    private static final int EVACUATING = 2;

    private final MovableInSession object = new MovableInSession(EVACUATING);

    /** Reads. */
    @Actor
    public void reader(J_Result r) {
        object.meet();
        r.r1 = object.read(Claim.FIRST_USE);
    }

    /** Moves the object, and reuses its page. */
    @Actor
    public void mover() {
        object.meet();
        object.moveAndReuse();
    }

    /** Gives all back. */
    @Arbiter
    public void end() {
        object.giveBack();
    }
}
