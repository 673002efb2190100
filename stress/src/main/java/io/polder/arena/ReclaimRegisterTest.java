package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.polder.chunk.SpaceCheck;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * One thread reclaims the slabs of ended threads while another registers, which looks at some of
 * them too. The figures: slabs that the reclaiming thread got back, slabs that came back in the
 * end, threads known at the end.
 */
@JCStressTest
@Outcome(id = "6, 6, 1", expect = ACCEPTABLE, desc = "The reclaim came first and got all.")
@Outcome(id = "2, 6, 1", expect = ACCEPTABLE, desc = "The registration came first and got four.")
@Outcome(expect = FORBIDDEN, desc = "A slab is lost or was given back twice.")
@State
public class ReclaimRegisterTest {
    /** More than a registration looks at. */
    private static final int ENDED = ThreadRegistry.LOOK_AT + 2;

    private final ChunkSource source = Slabs.source(OneBlock.NO_MEMORY);
    private final ThreadRegistry registry = new ThreadRegistry(source, Integer.MAX_VALUE, 2);

    /** A thread registers several times, as several threads would, and ends. */
    public ReclaimRegisterTest() {
        Threads.runToEnd(
                () -> {
                    for (int i = 0; i < ENDED; i++) {
                        ThreadCache slabs = new ThreadCache(Thread.currentThread(), 1);
                        slabs.words[ThreadCache.OWNED]++;
                        slabs.give(Slabs.takeSlab(source));
                        registry.register(slabs);
                    }
                });
    }

    /** Reclaims. */
    @Actor
    public void reclaim(III_Result r) {
        r.r1 = registry.reclaim();
    }

    /** Registers a thread that is alive; actors may end before the arbiter begins. */
    @Actor
    public void register() {
        registry.register(new ThreadCache(Threads.ALIVE, 1));
    }

    /** Counts. */
    @Arbiter
    public void count(III_Result r) {
        SpaceCheck.verifyAtRest(source.space);
        ArenaCheck.verify(registry);
        r.r2 = ENDED - (int) (Slabs.usedBytes(source) / Blocks.SLAB_BYTES);
        r.r3 = registry.threads();
    }
}
