package io.polder.heap.space.canary;

import io.polder.heap.space.LeafMoveTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

import java.util.concurrent.atomic.AtomicLong;

/** A leaf of the handle table that is copied while its words can be changed. */
@JCStressTest
@JCStressMeta(LeafMoveTest.class)
@State
public class CopyUnfrozenCanary {
    private volatile AtomicLong leaf = new AtomicLong();

    /** Changes the word. */
    @Actor
    public void change() {
        long _ = leaf.incrementAndGet();
    }

    /** Moves the leaf. */
    @Actor
    public void move() {
        leaf = new AtomicLong(leaf.get());
    }

    /** Looks. */
    @Arbiter
    public void look(J_Result r) {
        r.r1 = leaf.get();
    }
}
