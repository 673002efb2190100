package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** Two threads close one shared arena that holds a chunk. */
@JCStressTest
@Outcome(id = "closed, refused, home", expect = ACCEPTABLE, desc = "The first closed it.")
@Outcome(id = "refused, closed, home", expect = ACCEPTABLE, desc = "The second closed it.")
@Outcome(expect = FORBIDDEN, desc = "Both or neither closed it, or the chunk came back otherwise.")
@State
public class SharedCloseCloseTest {
    private final long block = Blocks.take();
    private final ChunkSource source = Slabs.source(block);
    private final SharedArena arena = new SharedArena(source, null);

    /** The arena holds a chunk. */
    public SharedCloseCloseTest() {
        arena.allocate(1, 1);
    }

    /** Closes. */
    @Actor
    public void first(LLL_Result r) {
        r.r1 = close();
    }

    /** Closes. */
    @Actor
    public void second(LLL_Result r) {
        r.r2 = close();
    }

    private String close() {
        try {
            arena.close();
            return "closed";
        } catch (IllegalStateException alreadyClosed) {
            return "refused";
        }
    }

    /** Looks for the chunk. */
    @Arbiter
    public void look(LLL_Result r) {
        r.r3 = Slabs.whereabouts(source);
        Blocks.give(block);
    }
}
