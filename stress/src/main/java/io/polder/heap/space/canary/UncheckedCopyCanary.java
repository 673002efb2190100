package io.polder.heap.space.canary;

import io.polder.heap.space.Movable;
import io.polder.heap.space.OptimisticCopyTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A copy of 64 bytes that does not look again whether a page was given. */
@JCStressTest
@JCStressMeta(OptimisticCopyTest.class)
@State
public class UncheckedCopyCanary {
    private static final int EVACUATING = 2;

    private final Movable object = new Movable(EVACUATING);

    /** Copies. */
    @Actor
    public void reader(JJ_Result r) {
        object.meet();
        r.r2 = object.copyInSteps(false);
    }

    /** Moves the object, and reuses its page. */
    @Actor
    public void mover() {
        object.meet();
        object.moveAndReuse(true);
    }

    /** Gives all back. */
    @Arbiter
    public void end() {
        object.giveBack();
    }
}
