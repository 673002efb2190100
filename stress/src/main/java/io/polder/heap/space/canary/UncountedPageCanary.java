package io.polder.heap.space.canary;

import io.polder.heap.space.Movable;
import io.polder.heap.space.OptimisticReadTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** The page is given back before it is counted. */
@JCStressTest
@JCStressMeta(OptimisticReadTest.class)
@State
public class UncountedPageCanary {
    private static final int EVACUATING = 2;

    private final Movable object = new Movable(EVACUATING);

    /** Reads. */
    @Actor
    public void reader(JJ_Result r) {
        object.meet();
        r.r2 = object.readInSteps(true);
    }

    /** Moves the object, and reuses its page. */
    @Actor
    public void mover() {
        object.meet();
        object.moveAndReuse(false);
    }

    /** Gives all back. */
    @Arbiter
    public void end() {
        object.giveBack();
    }
}
