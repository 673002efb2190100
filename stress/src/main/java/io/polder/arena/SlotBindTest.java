package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two threads take a slot that has no slab yet; whoever finds none puts one there. Slab 32 is the
 * first thread's, slab 64 the second's.
 */
@JCStressTest
@Outcome(id = "32, 32", expect = ACCEPTABLE, desc = "The second found the slab of the first.")
@Outcome(id = "64, 64", expect = ACCEPTABLE, desc = "The first found the slab of the second.")
@Outcome(id = "32, -1", expect = ACCEPTABLE, desc = "The slot was taken when the second came.")
@Outcome(id = "-1, 64", expect = ACCEPTABLE, desc = "The slot was taken when the first came.")
@Outcome(expect = FORBIDDEN, desc = "A slab that was put into the slot was not seen, and is lost.")
@State
public class SlotBindTest {
    private final SlabSlots slots = new SlabSlots(1);

    /** Brings slab 32. */
    @Actor
    public void first(II_Result r) {
        r.r1 = use(32);
    }

    /** Brings slab 64. */
    @Actor
    public void second(II_Result r) {
        r.r2 = use(64);
    }

    private int use(long mine) {
        int at = slots.take(0);
        long used = slots.words[at] & ~SlabSlots.TAKEN;
        if (used == 0) {
            at = slots.takeEmpty(0);
            if (at == SlabSlots.NONE) {
                return -1;
            }
            slots.words[at] = mine | SlabSlots.TAKEN;
            used = mine;
        }
        slots.give(at, used);
        return (int) used;
    }
}
