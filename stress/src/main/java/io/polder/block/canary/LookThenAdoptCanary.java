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

/** Spans of a thread that ended, which are adopted without a lock. */
@JCStressTest
@Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "One has them, the other one has new ones.")
@Outcome(expect = FORBIDDEN, desc = "Both have them, or they are lost.")
@State
public class LookThenAdoptCanary {
    private static final int ENDED = 0;

    private volatile int owner = ENDED;
    private final AtomicInteger owners = new AtomicInteger(1);
    private int adopted;
    private int alsoAdopted;

    /** A thread has come and ended. */
    public LookThenAdoptCanary() {}

    private int adopt(int id) {
        if (owner == ENDED) {
            owner = id;
            return 1;
        }
        owners.getAndIncrement();
        return 0;
    }

    /** The first begins. */
    @Actor
    public void first() {
        adopted = adopt(1);
    }

    /** The second begins. */
    @Actor
    public void second() {
        alsoAdopted = adopt(2);
    }

    /** Counts. */
    @Arbiter
    public void count(II_Result r) {
        r.r1 = adopted + alsoAdopted;
        r.r2 = owners.get();
    }
}
