package io.polder.arena.canary;

import io.polder.arena.SlotBindTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A slot without a slab that gets one after a look, and is not taken meanwhile. */
@JCStressTest
@JCStressMeta(SlotBindTest.class)
@State
public class LookThenBindCanary {
    private volatile int slot;

    /** The slot has no slab. */
    public LookThenBindCanary() {}

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
        int found = slot;
        if (found != 0) {
            return found;
        }
        slot = mine;
        return mine;
    }
}
