package io.polder.arena;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** The last two members of a sealed group leave: the last one sees that it is ready. */
@JCStressTest
@JCStressMeta(GroupLeaveSealTest.class)
@State
public class GroupLeaveLeaveTest {
    private final Group group = new Group();

    /** The group is sealed and has two members. */
    public GroupLeaveLeaveTest() {
        group.join();
        group.join();
        group.seal();
    }

    /** Leaves. */
    @Actor
    public void first() {
        group.leave();
    }

    /** Leaves. */
    @Actor
    public void second() {
        group.leave();
    }

    /** Looks what was seen. */
    @Arbiter
    public void end(L_Result r) {
        r.r1 = group.ready();
    }
}
