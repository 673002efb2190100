package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two threads allocate from one shared arena that has its chunk already. Addresses are counted from
 * the chunk; nothing is written, so there need be no memory.
 */
@JCStressTest
@Outcome(id = "16, 32", expect = ACCEPTABLE, desc = "The first moved the top first.")
@Outcome(id = "32, 16", expect = ACCEPTABLE, desc = "The second moved the top first.")
@Outcome(expect = FORBIDDEN, desc = "The segments overlap, or bytes are lost between them.")
@State
public class SharedBumpTest {
    private final SharedArena arena = new SharedArena(Slabs.source(OneBlock.NO_MEMORY), null);

    /** The first allocation takes the chunk. */
    public SharedBumpTest() {
        arena.allocate(1, 1);
    }

    /** Allocates. */
    @Actor
    public void first(II_Result r) {
        r.r1 = (int) (arena.allocate(16, 16).address() - OneBlock.NO_MEMORY);
    }

    /** Allocates. */
    @Actor
    public void second(II_Result r) {
        r.r2 = (int) (arena.allocate(9, 16).address() - OneBlock.NO_MEMORY);
    }
}
