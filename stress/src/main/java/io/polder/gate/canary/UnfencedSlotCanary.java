package io.polder.gate.canary;

import io.polder.gate.SlotSynchronizeTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A slot that is written and data that is read without a fence for either, nor one of all
 * threads: the waiter alone has one.
 */
@JCStressTest
@JCStressMeta(SlotSynchronizeTest.class)
@State
public class UnfencedSlotCanary {
    private static final VarHandle SLOT;

    static {
        try {
            SLOT =
                    MethodHandles.lookup()
                            .findVarHandle(UnfencedSlotCanary.class, "slot", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    @SuppressWarnings("UnusedVariable") // read by SLOT
    private int slot;

    private int before;
    private int written;

    /** Nobody is inside. */
    public UnfencedSlotCanary() {}

    /** Enters, reads and leaves. */
    @Actor
    public void reader(II_Result r) {
        SLOT.setRelease(this, 1);
        VarHandle.acquireFence();
        r.r1 = before;
        written = 1;
        SLOT.setRelease(this, 2);
    }

    /** Waits for a grace period. */
    @Actor
    public void waiter(II_Result r) {
        before = 1;
        VarHandle.fullFence();
        while ((int) SLOT.getAcquire(this) == 1) {
            Thread.onSpinWait();
        }
        r.r2 = written;
    }
}
