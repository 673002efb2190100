package io.polder.arena.canary;

import io.polder.arena.SharedBumpTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A top that is read and then written, volatile as it is, instead of moved by compare-and-set. */
@JCStressTest
@JCStressMeta(SharedBumpTest.class)
@State
public class ReadThenBumpCanary {
    private volatile int top = 16;

    /** Allocates. */
    @Actor
    public void first(II_Result r) {
        r.r1 = allocate();
    }

    /** Allocates. */
    @Actor
    public void second(II_Result r) {
        r.r2 = allocate();
    }

    private int allocate() {
        int start = top;
        top = start + 16;
        return start;
    }
}
