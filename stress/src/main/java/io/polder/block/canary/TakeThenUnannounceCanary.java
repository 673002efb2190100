package io.polder.block.canary;

import io.polder.block.RemoteFreesAddSettleTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

import java.util.concurrent.atomic.AtomicInteger;

/** A span whose blocks are taken before it is announced no longer, instead of both at once. */
@JCStressTest
@JCStressMeta(RemoteFreesAddSettleTest.class)
@State
public class TakeThenUnannounceCanary {
    private static final int ANNOUNCED = 1 << 16;

    private final AtomicInteger freed = new AtomicInteger(ANNOUNCED + 1);

    /** A block is in the list from the start. */
    public TakeThenUnannounceCanary() {}

    /** Frees. */
    @Actor
    public void other(III_Result r) {
        int before = freed.getAndUpdate(word -> (word | ANNOUNCED) + 1);
        r.r1 = (before & ANNOUNCED) == 0 ? 1 : 0;
    }

    /** Looks. */
    @Actor
    public void owner(III_Result r) {
        r.r2 = freed.getAndSet(ANNOUNCED) - ANNOUNCED;
        freed.getAndUpdate(word -> word & ~ANNOUNCED);
    }

    /** Counts. */
    @Arbiter
    public void end(III_Result r) {
        r.r3 = freed.get() & ~ANNOUNCED;
    }
}
