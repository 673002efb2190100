package io.polder.heap.space;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * A copy of 64 bytes without a critical section, while its object moves and what was its page
 * becomes somebody else's. The figures: the bits of what was copied in one go, and by a thread that
 * stood still.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "The object's.")
@Outcome(expect = FORBIDDEN, desc = "Somebody else's bytes.")
@State
public class OptimisticCopyTest {
    private final Movable object = new Movable(Region.EVACUATING);

    /** Copies. */
    @Actor
    public void reader(JJ_Result r) {
        object.meet();
        r.r2 = object.copyInSteps(true);
        r.r1 = object.copyOptimistic();
    }

    /** Moves the object, and reuses its page. */
    @Actor
    public void mover() {
        object.meet();
        object.moveAndReuse(true);
    }

    /** Gives all back. */
    @Arbiter
    public void end() {
        object.giveBack();
    }
}
