package io.polder.block.canary;

import io.polder.block.LargeFreeFreeTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** A large block that is freed after a look whether it is used, instead of by one update. */
@JCStressTest
@JCStressMeta(LargeFreeFreeTest.class)
@State
public class LookThenFreeCanary {
    private volatile int used = 1;

    /** A block is used. */
    public LookThenFreeCanary() {}

    private boolean free() {
        if (used == 0) {
            return false;
        }
        used = 0;
        return true;
    }

    /** Frees it. */
    @Actor
    public void first(ZZI_Result r) {
        r.r1 = free();
    }

    /** Frees it, too. */
    @Actor
    public void second(ZZI_Result r) {
        r.r2 = free();
    }

    /** Counts. */
    @Arbiter
    public void count(ZZI_Result r) {
        r.r3 = used;
    }
}
