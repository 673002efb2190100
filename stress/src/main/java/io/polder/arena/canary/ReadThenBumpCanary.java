package io.polder.arena.canary;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A top that is read and then written, volatile as it is, instead of moved by compare-and-set. */
@JCStressTest
@Outcome(id = "16, 32", expect = ACCEPTABLE, desc = "The first moved the top first.")
@Outcome(id = "32, 16", expect = ACCEPTABLE, desc = "The second moved the top first.")
@Outcome(expect = FORBIDDEN, desc = "The segments overlap, or bytes are lost between them.")
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
