package io.polder.heap.space.canary;

import io.polder.heap.space.Movable;
import io.polder.heap.space.PinCopyTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** A region that is evacuated at once, without PREPARING and a grace period. */
@JCStressTest
@JCStressMeta(PinCopyTest.class)
@State
public class NoPreparingCanary {
    private final Movable object = new Movable(0);

    /** Updates. */
    @Actor
    public void updater() {
        object.meet();
        object.update(1);
    }

    /** Begins to evacuate. */
    @Actor
    public void cycle() {
        object.meet();
        object.evacuateAtOnce();
    }

    /** Reads. */
    @Arbiter
    public void read(J_Result r) {
        r.r1 = object.value();
        object.giveBack();
    }
}
