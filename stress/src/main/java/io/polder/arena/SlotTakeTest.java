package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two threads whose ids name the same slot take at the same time; two slots have a slab. */
@JCStressTest
@Outcome(
        id = "128, 64",
        expect = ACCEPTABLE,
        desc = "The first won the slot, the second probed on.")
@Outcome(
        id = "64, 128",
        expect = ACCEPTABLE,
        desc = "The second won the slot, the first probed on.")
@Outcome(expect = FORBIDDEN, desc = "One slab for both: two arenas would share it.")
@State
public class SlotTakeTest {
    private final SlabSlots slots = new SlabSlots(2, 2);

    /** Both slots have a slab. */
    public SlotTakeTest() {
        boolean _ = slots.give(0, 128);
        boolean _ = slots.give(0, 64);
    }

    /** Takes. */
    @Actor
    public void first(II_Result r) {
        r.r1 = (int) slots.takeCounted(0);
    }

    /** Takes. */
    @Actor
    public void second(II_Result r) {
        r.r2 = (int) slots.takeCounted(0);
    }
}
