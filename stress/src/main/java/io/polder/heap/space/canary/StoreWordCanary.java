package io.polder.heap.space.canary;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A copy that is published by a read of the word and then a store. */
@JCStressTest
@Outcome(id = "true, false", expect = ACCEPTABLE, desc = "The first was faster.")
@Outcome(id = "false, true", expect = ACCEPTABLE, desc = "The second was faster.")
@Outcome(id = "true, true", expect = FORBIDDEN, desc = "Both publish their copy.")
@State
public class StoreWordCanary {
    private static final int LIVE = 1;
    private static final int MOVED = 3;

    private int word = LIVE;

    /** Publishes. */
    @Actor
    public void first(ZZ_Result r) {
        r.r1 = publish();
    }

    /** Publishes. */
    @Actor
    public void second(ZZ_Result r) {
        r.r2 = publish();
    }

    private boolean publish() {
        if (word != LIVE) {
            return false;
        }
        word = MOVED;
        return true;
    }
}
