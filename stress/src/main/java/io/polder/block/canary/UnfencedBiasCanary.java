package io.polder.block.canary;

import io.polder.block.RevokeTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A bias that is revoked by a fence of the revoking thread alone. */
@JCStressTest
@JCStressMeta(RevokeTest.class)
@State
public class UnfencedBiasCanary {
    private static final VarHandle INSIDE = handle("inside");
    private static final VarHandle BIASED = handle("biased");

    @SuppressWarnings("UnusedVariable") // read by INSIDE
    private int inside;

    @SuppressWarnings("UnusedVariable") // read by BIASED
    private int biased = 1;

    private int count;
    private int owners;
    private int others;

    /** Biased to the owner. */
    public UnfencedBiasCanary() {}

    private static VarHandle handle(String name) {
        try {
            return MethodHandles.lookup().findVarHandle(UnfencedBiasCanary.class, name, int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** Counts, if it may enter. */
    @Actor
    public void owner() {
        INSIDE.setOpaque(this, 1);
        VarHandle.acquireFence();
        if ((int) BIASED.getOpaque(this) == 1) {
            count++;
            owners++;
        }
        INSIDE.setRelease(this, 0);
    }

    /** Revokes, and counts. */
    @Actor
    public void other() {
        BIASED.setOpaque(this, 0);
        VarHandle.fullFence();
        while ((int) INSIDE.getAcquire(this) != 0) {
            Thread.onSpinWait();
        }
        count++;
        others++;
    }

    /** What came of it. */
    @Arbiter
    public void count(II_Result r) {
        r.r1 = owners + others;
        r.r2 = count;
    }
}
