package io.polder.arena.canary;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A slot without a slab that gets one after a look, and is not taken meanwhile. */
@JCStressTest
@Outcome(id = "32, 32", expect = ACCEPTABLE, desc = "The second found the slab of the first.")
@Outcome(id = "64, 64", expect = ACCEPTABLE, desc = "The first found the slab of the second.")
@Outcome(id = "32, -1", expect = ACCEPTABLE, desc = "The slot was taken when the second came.")
@Outcome(id = "-1, 64", expect = ACCEPTABLE, desc = "The slot was taken when the first came.")
@Outcome(expect = FORBIDDEN, desc = "A slab that was put into the slot was not seen, and is lost.")
@State
public class LookThenBindCanary {
    private volatile int slot;

    /** The slot has no slab. */
    public LookThenBindCanary() {}

    /** Brings slab 32. */
    @Actor
    public void first(II_Result r) {
        r.r1 = use(32);
    }

    /** Brings slab 64. */
    @Actor
    public void second(II_Result r) {
        r.r2 = use(64);
    }

    private int use(int mine) {
        int found = slot;
        if (found != 0) {
            return found;
        }
        slot = mine;
        return mine;
    }
}
