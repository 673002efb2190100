package io.polder.gate.canary;

import io.polder.gate.FenceLitmusTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A fence of all threads that fences the waiter alone, as if the kernel did nothing. */
@JCStressTest
@JCStressMeta(FenceLitmusTest.class)
@State
public class UnfencedLitmusCanary {
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int AT = 16;

    private final long[] slot = new long[2 * AT];
    private int data;

    /** The reader is outside. */
    public UnfencedLitmusCanary() {}

    /** Marks its slot and reads. */
    @Actor
    public void reader(II_Result r) {
        WORDS.setRelease(slot, AT, 1L);
        VarHandle.acquireFence();
        r.r1 = data;
    }

    /** Writes and looks. */
    @Actor
    public void waiter(II_Result r) {
        data = 1;
        VarHandle.fullFence();
        r.r2 = (int) (long) WORDS.getAcquire(slot, AT);
    }
}
