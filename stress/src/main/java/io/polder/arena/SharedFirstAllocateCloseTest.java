package io.polder.arena;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/**
 * As {@link SharedAllocateCloseTest}, but the allocation is the first: the chunk is taken, or
 * not, at the very time of the close.
 */
@JCStressTest
@JCStressMeta(SharedAllocateCloseTest.class)
@State
public class SharedFirstAllocateCloseTest {
    private final WriteScenario scenario = new WriteScenario();

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
