package io.polder.heap.space;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/**
 * The end of a cycle finds a region empty; a thread that comes later must not find an object in it.
 */
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
public class CopyEmptyTest {
    private final Movable object = new Movable(Region.EVACUATING);

    /** Copies. */
    @Actor
    public void copier() {
        object.meet();
        Evacuation.Outcome _ = object.evacuate();
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
