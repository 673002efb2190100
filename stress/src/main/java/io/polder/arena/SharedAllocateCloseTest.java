package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/**
 * One thread allocates from a shared arena and writes, while another closes it. In the end its
 * chunk is back, and holds nothing of what was written.
 */
@JCStressTest
@Outcome(id = "written, closed, home", expect = ACCEPTABLE, desc = "Written before the close.")
@Outcome(id = "refused, closed, home", expect = ACCEPTABLE, desc = "The allocation came too late.")
@Outcome(
        id = "dead, closed, home",
        expect = ACCEPTABLE,
        desc = "The close came between allocation and write: the segment refused.")
@Outcome(expect = FORBIDDEN, desc = "A chunk lost, given twice or dirty, or a wrong exception.")
@State
public class SharedAllocateCloseTest {
    private final WriteScenario scenario = new WriteScenario().withChunk();

    /** Allocates and writes. */
    @Actor
    public void user(LLL_Result r) {
        r.r1 = scenario.write();
    }

    /** Closes. */
    @Actor
    public void closer(LLL_Result r) {
        r.r2 = scenario.close();
    }

    /** Looks for the chunk, and for what was written. */
    @Arbiter
    public void look(LLL_Result r) {
        r.r3 = scenario.look();
    }
}
