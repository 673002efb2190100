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

/** Something that is closed after a look whether it is, instead of being claimed. */
@JCStressTest
@Outcome(id = "closed 1", expect = ACCEPTABLE, desc = "By one of the two.")
@Outcome(expect = FORBIDDEN, desc = "Closed twice.")
@State
public class LookThenCloseCanary {
    private final AtomicInteger closed = new AtomicInteger();
    private volatile boolean isReleased;

    /** Closes. */
    @Actor
    public void first() {
        tryClose();
    }

    /** Closes. */
    @Actor
    public void second() {
        tryClose();
    }

    private void tryClose() {
        if (!isReleased) {
            closed.incrementAndGet();
            isReleased = true;
        }
    }

    /** Counts. */
    @Arbiter
    public void count(L_Result r) {
        r.r1 = "closed " + closed.get();
    }
}
