package io.polder.heap.space.canary;

import io.polder.heap.space.CopyEmptyTest;
import io.polder.heap.space.Movable;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A copy whose original is counted dead before the word leads to the copy. */
@JCStressTest
@JCStressMeta(CopyEmptyTest.class)
@State
public class CountFirstCanary {
    private final Movable object = new Movable(2);

    /** Copies. */
    @Actor
    public void copier() {
        object.meet();
        object.countDeadThenPublish();
    }

    /** Ends the cycle, and then a reader comes. */
    @Actor
    public void cycle(Z_Result r) {
        object.meet();
        for (int i = 0; i < 1000 && !r.r1; i++) {
            r.r1 = object.emptiedUnderReader();
        }
    }

    /** Gives all back. */
    @Arbiter
    public void end() {
        object.giveBack();
    }
}
