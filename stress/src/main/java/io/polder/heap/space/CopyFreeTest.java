package io.polder.heap.space;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLJ_Result;

/** One thread copies an object that another one frees. */
@JCStressTest
@Outcome(id = "COPIED, true, 0", expect = ACCEPTABLE, desc = "The copy was freed.")
@Outcome(
        id = "LOST, true, 0",
        expect = ACCEPTABLE,
        desc = "It was freed before the copy was published.")
@Outcome(expect = FORBIDDEN, desc = "It was not freed, or lives on.")
@State
public class CopyFreeTest {
    private final Movable object = new Movable(Region.EVACUATING);

    /** Copies. */
    @Actor
    public void copier(LLJ_Result r) {
        object.meet();
        r.r1 = object.evacuate();
    }

    /** Frees. */
    @Actor
    public void owner(LLJ_Result r) {
        object.meet();
        r.r2 = object.free();
    }

    /** Counts what is alive. */
    @Arbiter
    public void count(LLJ_Result r) {
        r.r3 = object.liveObjects();
        object.giveBack();
    }
}
