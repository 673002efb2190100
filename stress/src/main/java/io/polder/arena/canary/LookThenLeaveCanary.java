package io.polder.arena.canary;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A group whose members and seal are two words: a thread that leaves or seals looks before. */
@JCStressTest
@Outcome(id = "ready", expect = ACCEPTABLE, desc = "By the thread that came last.")
@Outcome(expect = FORBIDDEN, desc = "Not seen ready.")
@State
public class LookThenLeaveCanary {
    private final AtomicInteger members = new AtomicInteger(1);
    private final AtomicBoolean seen = new AtomicBoolean();
    private volatile boolean isSealed;

    /** Leaves. */
    @Actor
    public void member() {
        boolean last = isSealed;
        if (members.decrementAndGet() == 0 && last) {
            seen.set(true);
        }
    }

    /** Seals. */
    @Actor
    public void sealer() {
        boolean last = members.get() == 0;
        isSealed = true;
        if (last) {
            seen.set(true);
        }
    }

    /** Looks what was seen. */
    @Arbiter
    public void end(L_Result r) {
        r.r1 = seen.get() ? "ready" : "never ready";
    }
}
