package io.polder.heap.space;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLJ_Result;

/** Two threads copy one object. */
@JCStressTest
@Outcome(id = "COPIED, LOST, 1", expect = ACCEPTABLE, desc = "The first was faster.")
@Outcome(id = "LOST, COPIED, 1", expect = ACCEPTABLE, desc = "The second was faster.")
@Outcome(expect = FORBIDDEN, desc = "Copied twice, or not at all.")
@State
public class CopyCopyTest {
    private final Movable object = new Movable(Region.EVACUATING);

    /** Copies. */
    @Actor
    public void first(LLJ_Result r) {
        object.meet();
        r.r1 = object.evacuate();
    }

    /** Copies. */
    @Actor
    public void second(LLJ_Result r) {
        object.meet();
        r.r2 = object.evacuate();
    }

    /** Counts what is alive. */
    @Arbiter
    public void count(LLJ_Result r) {
        r.r3 = object.liveObjects();
        object.giveBack();
    }
}
