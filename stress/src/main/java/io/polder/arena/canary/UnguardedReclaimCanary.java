package io.polder.arena.canary;

import io.polder.arena.ReclaimRegisterTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;

/** Ended threads whose slabs are reclaimed without a lock. */
@JCStressTest
@JCStressMeta(ReclaimRegisterTest.class)
@State
public class UnguardedReclaimCanary {
    private static final int ENDED = 6;
    private static final int LOOK_AT = 4;
    private static final int ALIVE = -1;

    private final ArrayDeque<Integer> known = new ArrayDeque<>();
    private final AtomicInteger free = new AtomicInteger();

    /** A known thread is the number of its slab, or {@link #ALIVE}. */
    public UnguardedReclaimCanary() {
        for (int i = 0; i < ENDED; i++) {
            known.add(i);
        }
    }

    /** Reclaims. */
    @Actor
    public void reclaim(III_Result r) {
        r.r1 = look(ENDED + 1);
    }

    /** Registers a thread that is alive. */
    @Actor
    public void register() {
        look(LOOK_AT);
        known.addLast(ALIVE);
    }

    private int look(int atMost) {
        int slabs = 0;
        for (int i = Math.min(atMost, known.size()); i > 0; i--) {
            Integer first = known.pollFirst();
            if (first != null && first == ALIVE) {
                known.addLast(first);
            } else if (first != null) {
                free.getAndIncrement();
                slabs++;
            }
        }
        return slabs;
    }

    /** Counts. */
    @Arbiter
    public void count(III_Result r) {
        r.r2 = free.get();
        r.r3 = known.size();
    }
}
