package io.polder.block;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/**
 * Two threads free the same large block. The figures: whether each did, and how many large blocks
 * there are in the end.
 */
@JCStressTest
@Outcome(
        id = {"true, false, 0", "false, true, 0"},
        expect = ACCEPTABLE,
        desc = "One of them freed it.")
@Outcome(expect = FORBIDDEN, desc = "It was freed twice, or not at all.")
@State
public class LargeFreeFreeTest {
    private static final LargeBlocks BLOCKS = Spaces.SPACE.large;

    private final Span span = BLOCKS.take(1 << 20, false, false);

    /** A block is used. */
    public LargeFreeFreeTest() {
        span.used = 1;
    }

    /** Frees it. */
    @Actor
    public void first(ZZI_Result r) {
        r.r1 = BLOCKS.free(span);
    }

    /** Frees it, too. */
    @Actor
    public void second(ZZI_Result r) {
        r.r2 = BLOCKS.free(span);
    }

    /** Counts. */
    @Arbiter
    public void count(ZZI_Result r) {
        r.r3 = span.usedOpaque();
        long _ = Spaces.SPACE.empties.drain();
    }
}
