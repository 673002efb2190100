package io.polder.block;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A thread frees one more block of a batch, while another thread revokes it and hands over what
 * there is. Whether it was freed, and how many are with the span in the end.
 */
@JCStressTest
@Outcome(id = "1, 3", expect = ACCEPTABLE, desc = "It was added, before or after the others left.")
@Outcome(id = "0, 2", expect = ACCEPTABLE, desc = "The thread found itself revoked.")
@Outcome(expect = FORBIDDEN, desc = "A block is lost, or there twice.")
@State
public class BatchRevokeTest {
    private final HeldBatch batch = new HeldBatch();

    /** Two blocks are in it. */
    public BatchRevokeTest() {}

    /** Frees, if it may enter. */
    @Actor
    public void owner(II_Result r) {
        r.r1 = batch.free();
    }

    /** Hands over. */
    @Actor
    public void other() {
        batch.revokeAndHandOver();
    }

    /** Counts. */
    @Arbiter
    public void end(II_Result r) {
        r.r2 = batch.end();
    }
}
