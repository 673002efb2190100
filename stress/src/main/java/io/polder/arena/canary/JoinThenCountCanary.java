package io.polder.arena.canary;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

import java.util.concurrent.atomic.AtomicInteger;

/** A group that is joined by a look at the seal and then a count, instead of both at once. */
@JCStressTest
@Outcome(id = "(joined|refused), closed 1", expect = ACCEPTABLE, desc = "Once.")
@Outcome(expect = FORBIDDEN, desc = "Twice, or with a member inside.")
@State
public class JoinThenCountCanary {
    private static final int SEALED = 1 << 30;

    private final AtomicInteger state = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();

    /** Joins and leaves. */
    @Actor
    public void member(LL_Result r) {
        if (state.get() >= SEALED) {
            r.r1 = "refused";
            return;
        }
        state.incrementAndGet();
        if (state.decrementAndGet() == SEALED) {
            closed.incrementAndGet();
        }
        r.r1 = "joined";
    }

    /** Seals. */
    @Actor
    public void sealer() {
        if (state.getAndAdd(SEALED) == 0) {
            closed.incrementAndGet();
        }
    }

    /** Counts. */
    @Arbiter
    public void count(LL_Result r) {
        r.r2 = "closed " + closed.get();
    }
}
