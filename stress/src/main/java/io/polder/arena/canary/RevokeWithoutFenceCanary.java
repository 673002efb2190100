package io.polder.arena.canary;

import io.polder.arena.RevokeTakeTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A thread is revoked, and nobody fences: what it has taken is taken once more. */
@JCStressTest
@JCStressMeta(RevokeTakeTest.class)
@State
public class RevokeWithoutFenceCanary {
    private static final int SLABS = 2;

    private final int[] words = {1, 1};
    private boolean attention;

    /** Takes. */
    @Actor
    public void take(III_Result r) {
        for (int i = 0; i < SLABS; i++) {
            int slab = words[i];
            words[i] = 0;
            r.r1 += attention ? 0 : slab;
        }
    }

    /** Revokes. */
    @Actor
    public void revoke(III_Result r) {
        attention = true;
        for (int i = 0; i < SLABS; i++) {
            r.r2 += words[i];
            words[i] = 0;
        }
    }

    /** Counts. */
    @Arbiter
    public void count(III_Result r) {
        r.r3 = SLABS - r.r2;
    }
}
