package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.polder.chunk.ChunkLevel;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Two threads make the first allocation of a shared arena. Addresses are counted from the first
 * chunk of the space; the last figure is how many chunks are taken.
 */
@JCStressTest
@Outcome(id = "0, 16, 1", expect = ACCEPTABLE, desc = "One chunk; the first moved its top first.")
@Outcome(id = "16, 0, 1", expect = ACCEPTABLE, desc = "One chunk; the second moved its top first.")
@Outcome(expect = FORBIDDEN, desc = "The segments overlap, or a second chunk was taken and lost.")
@State
public class SharedFirstChunkTest {
    private final ChunkSource source = Slabs.source(OneBlock.NO_MEMORY);
    private final SharedArena arena = new SharedArena(source, null);

    /** Allocates. */
    @Actor
    public void first(III_Result r) {
        r.r1 = (int) (arena.allocate(16, 1).address() - OneBlock.NO_MEMORY);
    }

    /** Allocates. */
    @Actor
    public void second(III_Result r) {
        r.r2 = (int) (arena.allocate(9, 1).address() - OneBlock.NO_MEMORY);
    }

    /** Counts. */
    @Arbiter
    public void count(III_Result r) {
        r.r3 = (int) (Slabs.usedBytes(source) / ChunkLevel.SMALLEST_BYTES);
    }
}
