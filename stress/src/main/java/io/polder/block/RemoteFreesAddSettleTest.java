package io.polder.block;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A thread frees a block while the owner looks at the span, which is announced. */
@JCStressTest
@Outcome(id = "0, 2, 0", expect = ACCEPTABLE, desc = "It was freed, then the owner looked.")
@Outcome(id = "1, 1, 1", expect = ACCEPTABLE, desc = "It came later, and is announced.")
@Outcome(expect = FORBIDDEN, desc = "A block is lost, or free and not announced.")
@State
public class RemoteFreesAddSettleTest {
    private final FreedList freed = new FreedList();

    /** A block is in the list from the start. */
    public RemoteFreesAddSettleTest() {
        int _ = freed.add(0);
    }

    /** Frees. */
    @Actor
    public void other(III_Result r) {
        r.r1 = freed.add(1);
    }

    /** Looks. */
    @Actor
    public void owner(III_Result r) {
        r.r2 = freed.settle();
    }

    /** Counts. */
    @Arbiter
    public void end(III_Result r) {
        r.r3 = freed.end();
    }
}
