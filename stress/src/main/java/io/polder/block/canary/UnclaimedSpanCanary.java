package io.polder.block.canary;

import io.polder.block.AdoptSpanTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

import java.util.concurrent.atomic.AtomicBoolean;

/** A span that is taken over though somebody may be about to announce it. */
@JCStressTest
@JCStressMeta(AdoptSpanTest.class)
@State
public class UnclaimedSpanCanary {
    private final AtomicBoolean announced = new AtomicBoolean();
    private final AtomicBoolean toEnded = new AtomicBoolean();
    private final AtomicBoolean toNext = new AtomicBoolean();
    private volatile AtomicBoolean owner = toEnded;

    /** A block is used. */
    public UnclaimedSpanCanary() {}

    /** Frees. */
    @Actor
    public void other() {
        if (announced.compareAndSet(false, true)) {
            owner.set(true);
        }
    }

    /** Takes over. */
    @Actor
    public void next(III_Result r) {
        if (toEnded.getAndSet(false)) {
            announced.set(false);
        }
        owner = toNext;
        r.r1 = 1;
    }

    /** Looks. */
    @Arbiter
    public void look(III_Result r) {
        r.r2 = (toNext.get() ? 1 : 0) + (toEnded.get() ? 2 : 0);
    }
}
