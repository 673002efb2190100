package io.polder.heap.space.canary;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.polder.heap.space.Movable;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** A region that is evacuated at once, without PREPARING and a grace period. */
@JCStressTest
@Outcome(id = "1", expect = ACCEPTABLE, desc = "The update is there.")
@Outcome(id = "0", expect = FORBIDDEN, desc = "The update was made in place, and then forgotten.")
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
