package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two threads put a slab into the same slot, and take one: slab 128 is the first thread's, slab 64
 * the second's. There is one slot, so the thread that finds it full keeps its slab.
 */
@JCStressTest
@Outcome(id = "128, 64", expect = ACCEPTABLE, desc = "Each has its own.")
@Outcome(id = "192, 0", expect = ACCEPTABLE, desc = "The first found its slot full, and took that.")
@Outcome(id = "0, 192", expect = ACCEPTABLE, desc = "The second did so.")
@Outcome(expect = FORBIDDEN, desc = "A slab that was put into the slot was not seen, and is lost.")
@State
public class SlotBindTest {
    private final SlabSlots slots = new SlabSlots(1, 1);

    /** Brings slab 128. */
    @Actor
    public void first(II_Result r) {
        r.r1 = use(128);
    }

    /** Brings slab 64. */
    @Actor
    public void second(II_Result r) {
        r.r2 = use(64);
    }

    private int use(long mine) {
        long kept = slots.give(0, mine) ? 0 : mine;
        return (int) (kept + slots.takeCounted(0));
    }
}
