package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * One thread takes from a range twice while another freezes it: what was taken lies below what the
 * freeze returned. The range begins at 64; nothing taken is 0.
 */
@JCStressTest
@Outcome(id = "0, 0, 64", expect = ACCEPTABLE, desc = "Frozen before both.")
@Outcome(id = "64, 0, 80", expect = ACCEPTABLE, desc = "Frozen between the two.")
@Outcome(id = "64, 80, 112", expect = ACCEPTABLE, desc = "Frozen after both.")
@Outcome(expect = FORBIDDEN, desc = "Taken beyond the end, or counted without an owner.")
@State
public class RangeFreezeTest {
    private final BumpRange range = new BumpRange(64, 4096);

    /** Takes. */
    @Actor
    public void taker(III_Result r) {
        r.r1 = (int) range.tryTake(16, 16);
        r.r2 = (int) range.tryTake(32, 16);
    }

    /** Freezes. */
    @Actor
    public void freezer(III_Result r) {
        r.r3 = (int) range.freeze();
    }
}
