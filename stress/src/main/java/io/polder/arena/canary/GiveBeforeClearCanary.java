package io.polder.arena.canary;

import io.polder.arena.Blocks;
import io.polder.arena.SlotHandOffTest;
import io.polder.memory.Zeroing;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

import java.util.concurrent.atomic.AtomicLong;

/** A slab that is given first and cleared then. */
@JCStressTest
@JCStressMeta(SlotHandOffTest.class)
@State
public class GiveBeforeClearCanary {
    private final long slab = Blocks.take();
    private final AtomicLong slot = new AtomicLong(slab | 1);

    /** Gives, then clears. */
    @Actor
    public void giver() {
        Blocks.dirty(slab);
        slot.setRelease(slab);
        Zeroing.zero(slab, Blocks.SLAB_BYTES);
    }

    /** Takes and reads. */
    @Actor
    public void taker(JJ_Result r) {
        if (slot.compareAndSet(slab, slab | 1)) {
            r.r1 = Blocks.first(slab);
            r.r2 = Blocks.last(slab);
        } else {
            r.r1 = -1;
            r.r2 = -1;
        }
    }

    /** The state is done with its memory. */
    @Arbiter
    public void end() {
        Blocks.give(slab);
    }
}
