package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Two threads close one group that is ready and holds a chunk: one does, and neither takes the
 * other's close for a failure of an action.
 */
@JCStressTest
@Outcome(id = "quiet, quiet, home", expect = ACCEPTABLE, desc = "One of them closed it.")
@Outcome(expect = FORBIDDEN, desc = "Both tried or none did, or the chunk came back otherwise.")
@State
public class DeferredCloseCloseTest {
    private final long block = Blocks.take();
    private final ChunkSource source = Slabs.source(block);
    private final DeferredGroup group =
            new DeferredGroup(new SharedArena(source, null), DeferredGroup.BYTES_MAX);
    private final AtomicLong ended = new AtomicLong();

    /** The group holds a chunk, and nobody is in it. */
    public DeferredCloseCloseTest() {
        group.arena.allocate(1, 1);
        group.seal();
    }

    /** Closes. */
    @Actor
    public void first(LLL_Result r) {
        r.r1 = group.tryClose(ended) == null ? "quiet" : "failed";
    }

    /** Closes. */
    @Actor
    public void second(LLL_Result r) {
        r.r2 = group.tryClose(ended) == null ? "quiet" : "failed";
    }

    /** Looks for the chunk. */
    @Arbiter
    public void look(LLL_Result r) {
        r.r3 = group.isDone() ? Slabs.whereabouts(source) : "open";
        Blocks.give(block);
    }
}
