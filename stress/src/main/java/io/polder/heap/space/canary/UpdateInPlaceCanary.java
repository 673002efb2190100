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

/** An update that does not ask whether its object moves. */
@JCStressTest
@Outcome(id = "1", expect = ACCEPTABLE, desc = "The update is there.")
@Outcome(id = "0", expect = FORBIDDEN, desc = "The update was made to bytes that had been copied.")
@State
public class UpdateInPlaceCanary {
    private final Movable object = new Movable(2);

    /** Updates. */
    @Actor
    public void updater() {
        object.meet();
        object.updateInPlace(1);
    }

    /** Copies. */
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
