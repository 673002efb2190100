package io.polder.arena;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * Two threads take, find what they took, give it and take again among four slots. Then each holds
 * one slab and two are free; the arbiter counts how many different ones there are.
 */
@JCStressTest
@Outcome(id = "4", expect = ACCEPTABLE, desc = "Each slab is in exactly one place.")
@Outcome(expect = FORBIDDEN, desc = "A slab was handed out twice, or is lost.")
@State
public class SlotExchangeTest {
    private static final int COUNT = 4;

    private final SlabSlots slots = new SlabSlots(COUNT, COUNT);
    private long firstKeeps;
    private long secondKeeps;

    /** Slot {@code i} starts with the slab at address {@code 64 << i}: one bit for each. */
    public SlotExchangeTest() {
        for (int i = 0; i < COUNT; i++) {
            boolean _ = slots.give(i, 64L << i);
        }
    }

    /** Takes, gives, and takes again nearby. */
    @Actor
    public void first() {
        firstKeeps = exchange(0);
    }

    /** The same, meeting the first half way. */
    @Actor
    public void second() {
        secondKeeps = exchange(1);
    }

    private long exchange(long hint) {
        long slab = slots.takeCounted(hint);
        boolean _ = slots.give(hint, slab);
        return slots.takeCounted(hint);
    }

    /** Gathers the bits of the two slabs held and of those free. */
    @Arbiter
    public void count(I_Result r) {
        long found = firstKeeps | secondKeeps;
        int holders = firstKeeps == secondKeeps ? 1 : 2;
        for (long slab = slots.takeCounted(0); slab != 0; slab = slots.takeCounted(0)) {
            found |= slab;
            holders++;
        }
        r.r1 = holders == COUNT ? Long.bitCount(found) : -holders;
    }
}
