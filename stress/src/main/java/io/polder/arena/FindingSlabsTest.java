package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLI_Result;

/**
 * Two threads find their slabs in a table for the first time, leave a slab there and find it again,
 * while both reclaim the slabs of threads that ended, of which there are none.
 */
@JCStressTest
@Outcome(id = "own, own, 2", expect = ACCEPTABLE, desc = "Each found its own, and both registered.")
@Outcome(expect = FORBIDDEN, desc = "A slab of another, a slab lost, or a thread not registered.")
@State
public class FindingSlabsTest {
    private final ThreadRegistry registry =
            new ThreadRegistry(Slabs.source(OneBlock.NO_MEMORY), Integer.MAX_VALUE, 1);

    /** Leaves slab 64. */
    @Actor
    public void first(LLI_Result r) {
        r.r1 = leaveAndFind(64);
    }

    /** Leaves slab 128. */
    @Actor
    public void second(LLI_Result r) {
        r.r2 = leaveAndFind(128);
    }

    private String leaveAndFind(long slab) {
        Thread self = Thread.currentThread();
        ThreadCache mine = registry.find(self, false);
        if (mine == null || !mine.mayOwn()) {
            return "no place";
        }
        mine.words[ThreadCache.OWNED]++;
        if (!mine.give(slab)) {
            return "no place";
        }
        if (registry.reclaim() != 0) {
            return "reclaimed of the living";
        }
        ThreadCache again = registry.find(self, false);
        if (again != mine || again.ownerId != self.threadId()) {
            return "another's";
        }
        return again.take() == slab ? "own" : "lost";
    }

    /** Counts. An actor may have ended, and been seen to, before the other looked. */
    @Arbiter
    public void count(LLI_Result r) {
        ArenaCheck.verify(registry);
        r.r3 = (int) (registry.threads() + registry.endedTotal);
    }
}
