package io.polder.heap.space;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** An object is updated while its region is evacuated: the thread that comes first copies it. */
@JCStressTest
@JCStressMeta(PinCopyTest.class)
@State
public class UpdateEvacuateTest {
    private final Movable object = new Movable(Region.EVACUATING);

    /** Updates. */
    @Actor
    public void updater() {
        object.meet();
        object.update(1);
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
