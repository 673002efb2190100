package io.polder.block;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * An owner counts up without the monitor, while another thread revokes its bias and counts up with
 * the monitor. How often they counted, and what the count is.
 */
@JCStressTest
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "The owner found itself revoked, or was inside.")
@Outcome(id = "2, 2", expect = ACCEPTABLE, desc = "One after the other.")
@Outcome(
        id = "0, 0",
        expect = ACCEPTABLE,
        desc = "The owner had no processor on its way out, and the other gave up.")
@Outcome(expect = FORBIDDEN, desc = "Both were inside at one time.")
@State
public class RevokeTest {
    private final ThreadHeap spans = Biased.heap();
    private int count;
    private int owners;
    private int others;

    /** Biased to an owner that is alive. */
    public RevokeTest() {}

    /** Counts, if it may enter. */
    @Actor
    public void owner() {
        if (spans.enter(Biased.OWNER)) {
            count++;
            owners++;
        }
        spans.leave();
    }

    /** Revokes, and counts. */
    @Actor
    public void other() {
        synchronized (spans) {
            if (spans.revokeLocked()) {
                count++;
                others++;
            }
        }
    }

    /** What came of it. */
    @Arbiter
    public void count(II_Result r) {
        r.r1 = owners + others;
        r.r2 = count;
    }
}
