package io.polder.block.canary;

import io.polder.block.BatchRevokeTest;
import io.polder.block.HeldBatch;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Who hands over does not revoke the thread that has the batch. */
@JCStressTest
@JCStressMeta(BatchRevokeTest.class)
@State
public class UnrevokedBatchCanary {
    private final HeldBatch batch = new HeldBatch();

    /** Two blocks are in it. */
    public UnrevokedBatchCanary() {}

    /** Frees. */
    @Actor
    public void owner(II_Result r) {
        r.r1 = batch.free();
    }

    /** Hands over. */
    @Actor
    public void other() {
        batch.handOverAtOnce();
    }

    /** Counts. */
    @Arbiter
    public void end(II_Result r) {
        r.r2 = batch.end();
    }
}
