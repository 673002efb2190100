package io.polder.arena.canary;

import io.polder.arena.SlotTakeTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Slots that are read and then written, instead of taken by compare-and-set. */
@JCStressTest
@JCStressMeta(SlotTakeTest.class)
@State
public class CheckThenTakeCanary {
    private final int[] words = {32, 64};

    /** Takes. */
    @Actor
    public void first(II_Result r) {
        r.r1 = take();
    }

    /** Takes. */
    @Actor
    public void second(II_Result r) {
        r.r2 = take();
    }

    private int take() {
        for (int slot = 0; slot < words.length; slot++) {
            int slab = words[slot];
            if (slab != 0) {
                words[slot] = 0;
                return slab;
            }
        }
        return 0;
    }
}
