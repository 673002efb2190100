package io.polder.arena.canary;

import io.polder.arena.SlotBindTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.util.concurrent.atomic.AtomicInteger;

/** A slot that gets a slab after a look, and not by a compare-and-set. */
@JCStressTest
@JCStressMeta(SlotBindTest.class)
@State
public class LookThenBindCanary {
    private final AtomicInteger slot = new AtomicInteger();

    /** Brings slab 32. */
    @Actor
    public void first(II_Result r) {
        r.r1 = use(32);
    }

    /** Brings slab 64. */
    @Actor
    public void second(II_Result r) {
        r.r2 = use(64);
    }

    private int use(int mine) {
        int kept = mine;
        if (slot.get() == 0) {
            slot.set(mine);
            kept = 0;
        }
        return kept + slot.getAndSet(0);
    }
}
