package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJL_Result;

/**
 * One thread takes the chunk that is kept at hand and gives it to the space, another gives to the
 * space what is kept: one of them has it. If it were both, the space would complain.
 */
@JCStressTest
@Outcome(id = "1, 0, home", expect = ACCEPTABLE, desc = "The arena took it.")
@Outcome(id = "0, 1, home", expect = ACCEPTABLE, desc = "It went back.")
@Outcome(expect = FORBIDDEN, desc = "Two had it, or it is lost.")
@State
public class ChunkCacheTakeDrainTest {
    private final int level = ChunkLevel.fitting(Blocks.SLAB_BYTES);
    private final long block = Blocks.take();
    private final ChunkSource source = Slabs.source(block);
    private final ChunkCache kept = new ChunkCache(source, 1);

    /** A chunk is kept from the start. */
    public ChunkCacheTakeDrainTest() {
        long chunk = source.chunk(Slabs.takeSlab(source));
        boolean _ = kept.keep(chunk, Blocks.SLAB_BYTES, false);
    }

    /** What an arena does that is opened and closed. */
    @Actor
    public void arena(JJL_Result r) {
        long taken = kept.take(level, Long.MAX_VALUE);
        if (taken != Chunk.NONE) {
            source.space.give(ChunkCache.chunk(taken), 0);
            source.gave();
            r.r1 = 1;
        }
    }

    /** What a trim does. */
    @Actor
    public void trim(JJL_Result r) {
        r.r2 = kept.drain();
    }

    /** Looks where the chunk is. */
    @Arbiter
    public void end(JJL_Result r) {
        r.r3 = Slabs.whereabouts(source);
        Blocks.give(block);
    }
}
