package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/**
 * One thread joins a group and leaves it, while another seals it: a thread that got in is waited
 * for, and the group is ready to be closed when nobody is in it, and for good.
 */
@JCStressTest
@Outcome(id = "joined, ready", expect = ACCEPTABLE, desc = "Waited for.")
@Outcome(id = "refused, ready", expect = ACCEPTABLE, desc = "Sealed before.")
@Outcome(expect = FORBIDDEN, desc = "Not seen ready, or with a member inside.")
@State
public class GroupJoinSealTest {
    private final Group group = new Group();

    /** Joins and leaves. */
    @Actor
    public void member(LL_Result r) {
        r.r1 = "refused";
        if (group.join()) {
            group.leave();
            r.r1 = "joined";
        }
    }

    /** Seals. */
    @Actor
    public void sealer() {
        group.seal();
    }

    /** Looks what was seen. */
    @Arbiter
    public void end(LL_Result r) {
        r.r2 = group.ready();
    }
}
