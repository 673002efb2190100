package io.polder.arena.canary;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.util.concurrent.atomic.AtomicInteger;

/** A range that is frozen by a read and a write, volatile as they are, instead of an exchange. */
@JCStressTest
@Outcome(id = "0, 64", expect = ACCEPTABLE, desc = "Frozen before.")
@Outcome(id = "64, 80", expect = ACCEPTABLE, desc = "Frozen after.")
@Outcome(expect = FORBIDDEN, desc = "Taken beyond the end.")
@State
public class ReadThenFreezeCanary {
    private static final int FROZEN = 1 << 30;

    private final AtomicInteger top = new AtomicInteger(64);

    /** Takes. */
    @Actor
    public void taker(II_Result r) {
        int start;
        do {
            start = top.get();
            if (start == FROZEN) {
                return;
            }
        } while (!top.compareAndSet(start, start + 16));
        r.r1 = start;
    }

    /** Freezes. */
    @Actor
    public void freezer(II_Result r) {
        r.r2 = top.get();
        top.set(FROZEN);
    }
}
