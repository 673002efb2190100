package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
import io.polder.memory.Zeroing;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * One thread clears a chunk and has it kept at hand, another takes it and reads its first and last
 * bytes: the zeros come with the chunk.
 */
@JCStressTest
@Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "Not kept yet.")
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Kept: all zeros are there with the chunk.")
@Outcome(expect = FORBIDDEN, desc = "Bytes of the giver reached the taker.")
@State
public class ChunkCacheHandOffTest {
    private final int level = ChunkLevel.fitting(Blocks.SLAB_BYTES);
    private final long slab = Blocks.take();
    private final ChunkCache kept = new ChunkCache(Slabs.source(slab), 1);

    /** What an arena does that is written to and closed. */
    @Actor
    public void giver() {
        Blocks.dirty(slab);
        Zeroing.zero(slab, Blocks.SLAB_BYTES);
        boolean _ = kept.keep(Chunk.of(slab, level), Blocks.SLAB_BYTES, false);
    }

    /** What the next arena does. */
    @Actor
    public void taker(JJ_Result r) {
        long taken = kept.take(level, Long.MAX_VALUE);
        if (taken == Chunk.NONE) {
            r.r1 = -1;
            r.r2 = -1;
        } else {
            long address = Chunk.address(ChunkCache.chunk(taken));
            r.r1 = Blocks.first(address);
            r.r2 = Blocks.last(address);
        }
    }

    /** The state is done with its memory. */
    @Arbiter
    public void end() {
        Blocks.give(slab);
    }
}
