package io.polder.heap.space;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** A word is changed while the leaf it stands in is moved. */
@JCStressTest
@Outcome(id = "1", expect = ACCEPTABLE, desc = "The change is there.")
@Outcome(id = "0", expect = FORBIDDEN, desc = "The change was made where nobody looks any more.")
@State
public class LeafMoveTest {
    private final Movable object = new Movable(Region.STABLE);

    /** Changes the word. */
    @Actor
    public void change() {
        object.meet();
        object.changeWord();
    }

    /** Moves the leaf. */
    @Actor
    public void move() {
        object.meet();
        object.moveLeaf();
    }

    /** Looks. */
    @Arbiter
    public void look(J_Result r) {
        r.r1 = object.wordChanges();
        object.giveBack();
    }
}
