package io.polder.arena.canary;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** A first slab that is taken without a lock: a slab and its top are those of different threads. */
@JCStressTest
@Outcome(id = "0, 16, 1", expect = ACCEPTABLE, desc = "One slab; the first moved its top first.")
@Outcome(id = "16, 0, 1", expect = ACCEPTABLE, desc = "One slab; the second moved its top first.")
@Outcome(expect = FORBIDDEN, desc = "The segments overlap, or a second slab was taken and lost.")
@State
public class UnguardedFirstSlabCanary {
    private static final int SLAB_BYTES = 64;

    private final AtomicInteger slabs = new AtomicInteger();
    private final AtomicIntegerArray tops = new AtomicIntegerArray(2);
    private volatile int slab = -1;

    /** Allocates. */
    @Actor
    public void first(III_Result r) {
        r.r1 = allocate();
    }

    /** Allocates. */
    @Actor
    public void second(III_Result r) {
        r.r2 = allocate();
    }

    private int allocate() {
        if (slab < 0) {
            slab = slabs.getAndIncrement();
        }
        int mine = slab;
        return mine * SLAB_BYTES + tops.getAndAdd(mine, 16);
    }

    /** Counts. */
    @Arbiter
    public void count(III_Result r) {
        r.r3 = slabs.get();
    }
}
