package io.polder.heap.space;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * Two slots of a leaf are freed while another leaf gets its count, for which there is no room yet.
 * The figure: how many were counted; 0 if the leaf is not found reusable.
 */
@JCStressTest
@Outcome(id = "2", expect = ACCEPTABLE, desc = "Both were counted.")
@Outcome(expect = FORBIDDEN, desc = "A count was made where nobody looks any more.")
@State
public class FreedCountsTest {
    private static final int FIRST_LEAF = 0;

    /** Freed slots make it reusable. */
    private static final int ENOUGH = 2;

    /** Beyond the counts that there are at first. */
    private static final int FAR_LEAF = 1024;

    private final FreedCounts counts = new FreedCounts();

    /** Nothing was freed. */
    public FreedCountsTest() {}

    /** Frees two slots of the first leaf. */
    @Actor
    public void free() {
        counts.increment(FIRST_LEAF, ENOUGH);
        counts.increment(FIRST_LEAF, ENOUGH);
    }

    /** Begins with another leaf. */
    @Actor
    public void begin() {
        counts.reset(FAR_LEAF);
    }

    /** Looks. */
    @Arbiter
    public void look(I_Result r) {
        r.r1 = counts.firstReusable() == FIRST_LEAF ? counts.count(FIRST_LEAF) : 0;
    }
}
