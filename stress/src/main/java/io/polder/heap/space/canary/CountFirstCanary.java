package io.polder.heap.space.canary;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.polder.heap.space.Movable;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A copy whose original is counted dead before the word leads to the copy. */
@JCStressTest
@Outcome(
        id = "false",
        expect = ACCEPTABLE,
        desc = "Who reads the word finds the copy, or is waited for.")
@Outcome(
        id = "true",
        expect = FORBIDDEN,
        desc = "The region would be given back under who reads the word now.")
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
