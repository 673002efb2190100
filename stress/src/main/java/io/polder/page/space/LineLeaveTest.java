package io.polder.page.space;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** One leaves the line at once, with what there is or without; another waits for it. */
@JCStressTest
@Outcome(id = "true, true", expect = ACCEPTABLE, desc = "Taken, given back, and found.")
@Outcome(id = "false, true", expect = ACCEPTABLE, desc = "Behind the other, who took it.")
@Outcome(expect = FORBIDDEN, desc = "Who left did not wake the next.")
@State
public class LineLeaveTest {
    private final Room room = new Room(1);

    /** Room for one. */
    public LineLeaveTest() {}

    /** Does not wait; gives back what it gets. */
    @Actor
    public void leave(ZZ_Result r) {
        boolean got = room.tryOnce();
        if (got) {
            room.give();
        }
        r.r1 = got;
    }

    /** Waits. */
    @Actor
    public void await(ZZ_Result r) {
        r.r2 = room.await();
    }
}
