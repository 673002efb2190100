package io.polder.gate.canary;

import io.polder.gate.SlotCloseTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A counter that is raised after a look whether the gate is closed, instead of both at once.
 */
@JCStressTest
@JCStressMeta(SlotCloseTest.class)
@State
public class LookThenCountCanary {
    private final AtomicInteger inside = new AtomicInteger();
    private volatile boolean closed;
    private int before;
    private int written;

    /** Nobody is inside. */
    public LookThenCountCanary() {}

    /** Enters, reads and leaves. */
    @Actor
    public void reader(II_Result r) {
        if (closed) {
            r.r1 = -1;
            return;
        }
        r.r1 = before;
        inside.incrementAndGet();
        written = 1;
        inside.decrementAndGet();
    }

    /** Closes. */
    @Actor
    public void waiter(II_Result r) {
        before = 1;
        closed = true;
        while (inside.get() != 0) {
            Thread.onSpinWait();
        }
        r.r2 = written;
    }
}
