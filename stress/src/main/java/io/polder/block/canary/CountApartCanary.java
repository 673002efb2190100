package io.polder.block.canary;

import io.polder.block.RemoteFreesAddTakeTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

import java.util.concurrent.atomic.AtomicInteger;

/** A list whose count is a word of its own, instead of both in one. */
@JCStressTest
@JCStressMeta(RemoteFreesAddTakeTest.class)
@State
public class CountApartCanary {
    private static final int TORN = 100;

    /** A bit for each block. */
    private final AtomicInteger list = new AtomicInteger(1);

    private final AtomicInteger count = new AtomicInteger(1);

    /** A block is in the list from the start. */
    public CountApartCanary() {}

    /** Frees. */
    @Actor
    public void other() {
        list.getAndUpdate(blocks -> blocks | 2);
        count.incrementAndGet();
    }

    private int take() {
        int blocks = Integer.bitCount(list.getAndSet(0));
        return count.getAndSet(0) == blocks ? blocks : TORN;
    }

    /** Takes. */
    @Actor
    public void owner(III_Result r) {
        r.r2 = take();
    }

    /** Counts. */
    @Arbiter
    public void end(III_Result r) {
        r.r3 = take();
    }
}
