package io.polder.heap.space.canary;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A claim of an object that reads its word and then writes it. */
@JCStressTest
@Outcome(id = "true, false", expect = ACCEPTABLE, desc = "The first was faster.")
@Outcome(id = "false, true", expect = ACCEPTABLE, desc = "The second was faster.")
@Outcome(id = "true, true", expect = FORBIDDEN, desc = "Both copy the object.")
@State
public class StoreWordCanary {
    private static final int LIVE = 1;
    private static final int COPYING = 3;

    private int word = LIVE;

    /** Claims. */
    @Actor
    public void first(ZZ_Result r) {
        r.r1 = claim();
    }

    /** Claims. */
    @Actor
    public void second(ZZ_Result r) {
        r.r2 = claim();
    }

    private boolean claim() {
        if (word != LIVE) {
            return false;
        }
        word = COPYING;
        return true;
    }
}
