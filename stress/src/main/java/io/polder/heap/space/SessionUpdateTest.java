package io.polder.heap.space;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A session updates an object while a cycle begins, which has to wait before it copies. */
@JCStressTest
@Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "The updates are there.")
@Outcome(expect = FORBIDDEN, desc = "An update went to bytes that nobody reads any more.")
@State
public class SessionUpdateTest {
    private final MovableInSession object = new MovableInSession(Region.STABLE);

    /** Updates. */
    @Actor
    public void updater() {
        object.meet();
        object.update(MovableInSession.Claim.WHOLE);
    }

    /** Begins a cycle. */
    @Actor
    public void cycle() {
        object.meet();
        object.evacuate();
    }

    /** Reads. */
    @Arbiter
    public void read(JJ_Result r) {
        r.r1 = object.first();
        r.r2 = object.last();
        object.giveBack();
    }
}
