package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.polder.chunk.SpaceCheck;
import io.polder.memory.Zeroing;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/**
 * A thread registers, uses its slab without any synchronisation, and ends, while another looks out
 * for its slab: another thread that sees its end sees all that it did.
 */
@JCStressTest
@Outcome(
        id = "zeros, home",
        expect = ACCEPTABLE,
        desc = "It had ended: its slab came back, cleared.")
@Outcome(
        id = "none, home",
        expect = ACCEPTABLE,
        desc = "It had not ended: its slab came back later.")
@Outcome(expect = FORBIDDEN, desc = "The slab was lost, or came back before it was cleared.")
@State
public class ThreadEndTest {
    /** Enough for a thread to run to its end, now and then. */
    private static final int LOOKS = 2_000;

    private final long block = Blocks.take();
    private final ChunkSource source = Slabs.source(block);
    private final ThreadRegistry registry = new ThreadRegistry(source, Integer.MAX_VALUE, 2);
    private final Thread thread = new Thread(this::live);

    private void live() {
        ThreadCache mine = new ThreadCache(Thread.currentThread(), 1);
        registry.register(mine);
        long slab = Slabs.takeSlab(source);
        mine.words[ThreadCache.OWNED]++;
        Blocks.dirty(slab);
        Zeroing.zero(slab, Blocks.SLAB_BYTES);
        mine.give(slab);
    }

    /** Begins a thread. */
    @Actor
    public void begin() {
        thread.start();
    }

    /** Looks for what it leaves. */
    @Actor
    public void look(LL_Result r) {
        for (int i = 0; i < LOOKS; i++) {
            if (registry.reclaim() > 0) {
                long slab = Slabs.takeSlab(source);
                r.r1 = slab == block && Blocks.isZero(slab) ? "zeros" : "dirty";
                Slabs.giveClean(source, slab);
                return;
            }
            Thread.onSpinWait();
        }
        r.r1 = "none";
    }

    /** Looks for the slab once the thread has ended for certain. */
    @Arbiter
    public void count(LL_Result r) {
        Threads.awaitEnd(thread);
        registry.reclaim();
        SpaceCheck.verifyAtRest(source.space);
        ArenaCheck.verify(registry);
        r.r2 = Slabs.whereabouts(source);
        Blocks.give(block);
    }
}
