package io.polder.block.canary;

import io.polder.block.AdoptTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.util.concurrent.atomic.AtomicInteger;

/** Spans of a thread that ended, which are adopted without a lock. */
@JCStressTest
@JCStressMeta(AdoptTest.class)
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
