package io.polder.gate.canary;

import io.polder.gate.SlotSynchronizeTest;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A slot that is made known only when its reader is inside.
 */
@JCStressTest
@JCStressMeta(SlotSynchronizeTest.class)
@State
public class LatePublishCanary {
    private volatile @Nullable AtomicInteger slot;
    private int before;
    private int written;

    /** Nobody is inside. */
    public LatePublishCanary() {}

    /** Enters, reads and leaves. */
    @Actor
    public void reader(II_Result r) {
        AtomicInteger mine = new AtomicInteger(1);
        r.r1 = before;
        slot = mine;
        written = 1;
        mine.set(0);
    }

    /** Waits for a grace period. */
    @Actor
    public void waiter(II_Result r) {
        before = 1;
        AtomicInteger known = slot;
        while (known != null && known.get() != 0) {
            Thread.onSpinWait();
        }
        r.r2 = written;
    }
}
