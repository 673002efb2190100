package io.polder.heap.space;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** A session reads an object that moves, and what was its page becomes somebody else's. */
@JCStressTest
@Outcome(id = "0", expect = ACCEPTABLE, desc = "The object's: the page goes after the session.")
@Outcome(expect = FORBIDDEN, desc = "Somebody else's bytes.")
@State
public class SessionReadTest {
    private final MovableInSession object = new MovableInSession(Region.EVACUATING);

    /** Reads. */
    @Actor
    public void reader(J_Result r) {
        object.meet();
        r.r1 = object.read(MovableInSession.Claim.WHOLE);
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
