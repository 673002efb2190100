package io.polder.arena.canary;

import io.polder.arena.FindingSlabsTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLI_Result;

import java.util.concurrent.atomic.AtomicIntegerArray;

/** A table in which a thread takes the place that it found empty, without a lock. */
@JCStressTest
@JCStressMeta(FindingSlabsTest.class)
@State
public class LookThenPlaceCanary {
    private final AtomicIntegerArray places = new AtomicIntegerArray(2);

    /** No thread is registered. */
    public LookThenPlaceCanary() {}

    /** Leaves slab 64. */
    @Actor
    public void first(LLI_Result r) {
        r.r1 = leaveAndFind(64);
    }

    /** Leaves slab 128. */
    @Actor
    public void second(LLI_Result r) {
        r.r2 = leaveAndFind(128);
    }

    private String leaveAndFind(int slab) {
        int at = places.get(0) == 0 ? 0 : 1;
        places.set(at, slab);
        return places.get(at) == slab ? "own" : "another's";
    }

    /** Counts. */
    @Arbiter
    public void count(LLI_Result r) {
        r.r3 = (places.get(0) == 0 ? 0 : 1) + (places.get(1) == 0 ? 0 : 1);
    }
}
