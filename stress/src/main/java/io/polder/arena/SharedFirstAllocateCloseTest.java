package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * As {@link SharedAllocateCloseTest}, but the allocation is the first: the chunk is taken, or
 * not, at the very time of the close.
 */
@JCStressTest
@Outcome(id = "written, closed, home", expect = ACCEPTABLE, desc = "Written before the close.")
@Outcome(id = "refused, closed, home", expect = ACCEPTABLE, desc = "The allocation came too late.")
@Outcome(
        id = "dead, closed, home",
        expect = ACCEPTABLE,
        desc = "The close came between allocation and write: the segment refused.")
@Outcome(expect = FORBIDDEN, desc = "A chunk lost, given twice or dirty, or a wrong exception.")
@State
public class SharedFirstAllocateCloseTest {
    private final long block = Blocks.take();
    private final ChunkSource source = Slabs.source(block);
    private final SharedArena arena = new SharedArena(source);

    /** Allocates and writes. */
    @Actor
    public void user(LLL_Result r) {
        MemorySegment segment;
        try {
            segment = arena.allocate(16, 1);
        } catch (IllegalStateException alreadyClosed) {
            r.r1 = "refused";
            return;
        }
        try {
            segment.set(ValueLayout.JAVA_LONG_UNALIGNED, 8, Blocks.DIRT);
            r.r1 = "written";
        } catch (IllegalStateException alreadyClosed) {
            r.r1 = "dead";
        }
    }

    /** Closes. */
    @Actor
    public void closer(LLL_Result r) {
        arena.close();
        r.r2 = "closed";
    }

    /** Looks for the chunk, and for what was written. */
    @Arbiter
    public void look(LLL_Result r) {
        r.r3 = Blocks.isZero(block) ? Slabs.whereabouts(source) : "dirty";
        Blocks.give(block);
    }
}
