package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/**
 * The last member of a group leaves while another thread seals it: the thread that comes last sees
 * that it is ready.
 */
@JCStressTest
@Outcome(id = "ready", expect = ACCEPTABLE, desc = "By the thread that came last.")
@Outcome(expect = FORBIDDEN, desc = "Not seen ready, or with a member inside.")
@State
public class GroupLeaveSealTest {
    private final Group group = new Group();

    /** The group has one member. */
    public GroupLeaveSealTest() {
        group.join();
    }

    /** Leaves. */
    @Actor
    public void member() {
        group.leave();
    }

    /** Seals. */
    @Actor
    public void sealer() {
        group.seal();
    }

    /** Looks what was seen. */
    @Arbiter
    public void end(L_Result r) {
        r.r1 = group.ready();
    }
}
