package io.polder.heap.space;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/**
 * The step from PREPARING to EVACUATING while an object is updated: it is pinned, or copied by
 * who updates it.
 */
@JCStressTest
@Outcome(id = "1", expect = ACCEPTABLE, desc = "The update is there.")
@Outcome(
        id = "0",
        expect = FORBIDDEN,
        desc = "The update went to bytes that nobody reads any more.")
@State
public class PinCopyTest {
    private final Movable object = new Movable(Region.PREPARING);

    /** Updates. */
    @Actor
    public void updater() {
        object.meet();
        object.update(1);
    }

    /** Begins to evacuate. */
    @Actor
    public void cycle() {
        object.meet();
        object.evacuateAtOnce();
    }

    /** Reads. */
    @Arbiter
    public void read(J_Result r) {
        r.r1 = object.value();
        object.giveBack();
    }
}
