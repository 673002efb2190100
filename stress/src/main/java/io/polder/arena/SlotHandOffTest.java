package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.polder.memory.Zeroing;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * One thread clears a slab and gives it, another takes it and reads its first and last bytes: the
 * zeros are released by the give and acquired by the take.
 */
@JCStressTest
@Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "Not given yet: the slot was still empty.")
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Given: all zeros are there with the slab.")
@Outcome(expect = FORBIDDEN, desc = "Bytes of the giver reached the taker.")
@State
public class SlotHandOffTest {
    private final long slab = Blocks.take();
    private final SlabSlots slots = new SlabSlots(1, 1);

    /** What an arena does that is written to and closed. */
    @Actor
    public void giver() {
        Blocks.dirty(slab);
        Zeroing.zero(slab, Blocks.SLAB_BYTES);
        boolean _ = slots.give(0, slab);
    }

    /** What the next arena does. */
    @Actor
    public void taker(JJ_Result r) {
        long taken = slots.takeCounted(0);
        if (taken == 0) {
            r.r1 = -1;
            r.r2 = -1;
        } else {
            r.r1 = Blocks.first(taken);
            r.r2 = Blocks.last(taken);
        }
    }

    /** The state is done with its memory. */
    @Arbiter
    public void end() {
        Blocks.give(slab);
    }
}
