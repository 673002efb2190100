package io.polder.gate.canary;

import io.polder.gate.SlotSynchronizeTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Counters of two phases, where the phase is read before the reader is counted, and looked at
 * before it is turned over.
 */
@JCStressTest
@JCStressMeta(SlotSynchronizeTest.class)
@State
public class LookThenFlipCanary {
    private final AtomicIntegerArray inside = new AtomicIntegerArray(2);
    private volatile int phase;
    private int before;
    private int written;

    /** Nobody is inside. */
    public LookThenFlipCanary() {}

    /** Enters, reads and leaves. */
    @Actor
    public void reader(II_Result r) {
        int mine = phase;
        inside.incrementAndGet(mine);
        r.r1 = before;
        written = 1;
        inside.decrementAndGet(mine);
    }

    /** Waits for a grace period. */
    @Actor
    public void waiter(II_Result r) {
        while (inside.get(0) != 0) {
            Thread.onSpinWait();
        }
        before = 1;
        phase = 1;
        r.r2 = written;
    }
}
