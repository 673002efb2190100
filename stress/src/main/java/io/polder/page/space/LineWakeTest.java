package io.polder.page.space;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Room comes while a thread joins the line, tries and parks. */
@JCStressTest
@Outcome(id = "true", expect = ACCEPTABLE, desc = "It found the room, or was woken.")
@Outcome(id = "false", expect = FORBIDDEN, desc = "The wake-up is lost.")
@State
public class LineWakeTest {
    private final Room room = new Room(0);

    /** A line without anybody in it. */
    public LineWakeTest() {}

    /** Waits. */
    @Actor
    public void await(Z_Result r) {
        r.r1 = room.await();
    }

    /** Makes room. */
    @Actor
    public void give() {
        room.give();
    }
}
