package io.polder.block;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two threads free a block of one span: both are in its list, and one is to announce it. */
@JCStressTest
@Outcome(id = "1, 0, 2", expect = ACCEPTABLE, desc = "The first came first.")
@Outcome(id = "0, 1, 2", expect = ACCEPTABLE, desc = "The second came first.")
@Outcome(expect = FORBIDDEN, desc = "A block is lost, or nobody or both announce it.")
@State
public class RemoteFreesAddAddTest {
    private final FreedList freed = new FreedList();

    /** Frees. */
    @Actor
    public void first(III_Result r) {
        r.r1 = freed.add(0);
    }

    /** Frees. */
    @Actor
    public void second(III_Result r) {
        r.r2 = freed.add(1);
    }

    /** Counts. */
    @Arbiter
    public void end(III_Result r) {
        r.r3 = freed.end();
    }
}
