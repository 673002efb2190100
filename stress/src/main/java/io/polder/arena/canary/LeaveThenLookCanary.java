package io.polder.arena.canary;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

import java.util.concurrent.atomic.AtomicInteger;

/** A group whose members and seal are two words: who leaves, and who seals, looks at the other. */
@JCStressTest
@Outcome(id = "closed 1", expect = ACCEPTABLE, desc = "By whoever came last.")
@Outcome(expect = FORBIDDEN, desc = "Closed twice.")
@State
public class LeaveThenLookCanary {
    private final AtomicInteger members = new AtomicInteger(1);
    private final AtomicInteger closed = new AtomicInteger();
    private volatile boolean isSealed;

    /** Leaves. */
    @Actor
    public void member() {
        members.decrementAndGet();
        if (isSealed && members.get() == 0) {
            closed.incrementAndGet();
        }
    }

    /** Seals. */
    @Actor
    public void sealer() {
        isSealed = true;
        if (members.get() == 0) {
            closed.incrementAndGet();
        }
    }

    /** Counts. */
    @Arbiter
    public void count(L_Result r) {
        r.r1 = "closed " + closed.get();
    }
}
