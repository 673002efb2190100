package io.polder.heap.space.canary;

import io.polder.heap.space.FreedCountsTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

import java.util.concurrent.atomic.AtomicIntegerArray;

/** Counts in one array, of which a longer copy is made when there are more. */
@JCStressTest
@JCStressMeta(FreedCountsTest.class)
@State
public class CopyCountsCanary {
    private volatile AtomicIntegerArray counts = new AtomicIntegerArray(1);

    /** Nothing was freed. */
    public CopyCountsCanary() {}

    /** Frees two slots of the first leaf. */
    @Actor
    public void free() {
        int _ = counts.incrementAndGet(0);
        int _ = counts.incrementAndGet(0);
    }

    /** Begins with another leaf. */
    @Actor
    public void begin() {
        AtomicIntegerArray more = new AtomicIntegerArray(2);
        more.set(0, counts.get(0));
        counts = more;
    }

    /** Looks. */
    @Arbiter
    public void look(I_Result r) {
        r.r1 = counts.get(0);
    }
}
