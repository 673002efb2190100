package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.polder.chunk.Chunk;
import io.polder.chunk.SpaceCheck;
import io.polder.memory.ProcessFence;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

import java.lang.invoke.VarHandle;

/**
 * A thread takes two slabs that it keeps, as arenas do, while it is revoked. The figures: slabs
 * that the thread has, slabs that were revoked, slabs that are the thread's in the end.
 */
@JCStressTest
@Outcome(id = "2, 0, 2", expect = ACCEPTABLE, desc = "The thread came first.")
@Outcome(id = "1, 1, 1", expect = ACCEPTABLE, desc = "It was revoked between the two.")
@Outcome(id = "0, 2, 0", expect = ACCEPTABLE, desc = "It was revoked before.")
@Outcome(expect = FORBIDDEN, desc = "A slab has two owners, or none.")
@State
public class RevokeTakeTest {
    private final ChunkSource source = Slabs.source(OneBlock.NO_MEMORY);
    private final ThreadRegistry registry = new ThreadRegistry(source, Integer.MAX_VALUE, 2);
    private final ThreadCache cache = new ThreadCache(Threads.ALIVE, 2);

    /** The thread keeps two. */
    public RevokeTakeTest() {
        registry.fence = ProcessFence.ofThisProcess();
        registry.register(cache);
        for (int i = 0; i < 2; i++) {
            boolean _ = registry.ownOneMore(cache);
            cache.give(Slabs.takeSlab(source));
        }
    }

    /** Takes. */
    @Actor
    public void take(III_Result r) {
        r.r1 = takeOne() + takeOne();
    }

    private int takeOne() {
        long slab = cache.take();
        VarHandle.acquireFence();
        if (cache.attention) {
            slab = registry.confirm(cache, slab);
        }
        return slab == Chunk.NONE ? 0 : 1;
    }

    /** Revokes. */
    @Actor
    public void revoke(III_Result r) {
        r.r2 = registry.revoke();
    }

    /** Counts. */
    @Arbiter
    public void count(III_Result r) {
        SpaceCheck.verifyAtRest(source.space);
        ArenaCheck.verify(cache);
        r.r3 = (int) (Slabs.usedBytes(source) / Blocks.SLAB_BYTES);
    }
}
