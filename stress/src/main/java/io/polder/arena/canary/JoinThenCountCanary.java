package io.polder.arena.canary;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A group that is joined by a look at the seal and then a count, instead of both at once. */
@JCStressTest
@Outcome(id = "(joined|refused), ready", expect = ACCEPTABLE, desc = "When nobody was inside.")
@Outcome(expect = FORBIDDEN, desc = "Not seen ready, or with a member inside.")
@State
public class JoinThenCountCanary {
    private static final int SEALED = 1 << 30;

    private final AtomicInteger state = new AtomicInteger();
    private final AtomicBoolean seen = new AtomicBoolean();
    private final AtomicInteger tooEarly = new AtomicInteger();

    private void look() {
        if (state.get() == SEALED) {
            seen.set(true);
        }
    }

    /** Joins and leaves. */
    @Actor
    public void member(LL_Result r) {
        if (state.get() >= SEALED) {
            r.r1 = "refused";
            return;
        }
        state.incrementAndGet();
        tooEarly.addAndGet(seen.get() ? 1 : 0);
        state.decrementAndGet();
        look();
        r.r1 = "joined";
    }

    /** Seals. */
    @Actor
    public void sealer() {
        state.getAndAdd(SEALED);
        look();
    }

    /** Looks what was seen. */
    @Arbiter
    public void end(LL_Result r) {
        r.r2 = tooEarly.get() > 0 ? "ready too early" : seen.get() ? "ready" : "never ready";
    }
}
