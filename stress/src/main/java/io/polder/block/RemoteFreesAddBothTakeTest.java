package io.polder.block;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A thread frees two blocks at once while the owner takes those that were freed: both come, or
 * none. The span was announced before, and still is.
 */
@JCStressTest
@Outcome(id = "0, 3, 0", expect = ACCEPTABLE, desc = "They were freed, then all were taken.")
@Outcome(id = "0, 1, 2", expect = ACCEPTABLE, desc = "They came later.")
@Outcome(
        expect = FORBIDDEN,
        desc = "A block is lost, taken twice, not counted, or announced once more.")
@State
public class RemoteFreesAddBothTakeTest {
    private final FreedList freed = new FreedList();

    /** A block is in the list from the start. */
    public RemoteFreesAddBothTakeTest() {
        int _ = freed.add(0);
    }

    /** Frees. */
    @Actor
    public void other(III_Result r) {
        r.r1 = freed.addBoth(1);
    }

    /** Takes. */
    @Actor
    public void owner(III_Result r) {
        r.r2 = freed.takeAll();
    }

    /** Counts. */
    @Arbiter
    public void end(III_Result r) {
        r.r3 = freed.end();
    }
}
