package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two threads whose ids name the same slot take at the same time. */
@JCStressTest
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "The first won the slot, the second probed on.")
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "The second won the slot, the first probed on.")
@Outcome(expect = FORBIDDEN, desc = "One slot for both: two arenas would share a slab.")
@State
public class SlotTakeTest {
    private final SlabSlots slots = new SlabSlots(2);

    private static int slotOf(int at) {
        return at == SlabSlots.index(0) ? 0 : at == SlabSlots.index(1) ? 1 : -1;
    }

    /** Takes. */
    @Actor
    public void first(II_Result r) {
        r.r1 = slotOf(slots.takeEmpty(0));
    }

    /** Takes. */
    @Actor
    public void second(II_Result r) {
        r.r2 = slotOf(slots.takeEmpty(0));
    }
}
