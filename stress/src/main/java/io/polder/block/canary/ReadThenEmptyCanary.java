package io.polder.block.canary;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.util.concurrent.atomic.AtomicInteger;

/** A list that is read and then emptied, instead of both at once. */
@JCStressTest
@Outcome(id = "2, 0", expect = ACCEPTABLE, desc = "It was freed, then all were taken.")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "It came later.")
@Outcome(expect = FORBIDDEN, desc = "A block is lost, or was taken twice.")
@State
public class ReadThenEmptyCanary {
    private final AtomicInteger blocks = new AtomicInteger(1);

    /** Frees. */
    @Actor
    public void other() {
        blocks.incrementAndGet();
    }

    /** Takes. */
    @Actor
    public void owner(II_Result r) {
        r.r1 = blocks.get();
        blocks.set(0);
    }

    /** Counts. */
    @Arbiter
    public void count(II_Result r) {
        r.r2 = blocks.get();
    }
}
