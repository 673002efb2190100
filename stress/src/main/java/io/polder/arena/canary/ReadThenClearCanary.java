package io.polder.arena.canary;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A chunk that is kept in a word, which is read and then cleared, by an arena and by a trim. */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "The arena took it.")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "It went back.")
@Outcome(expect = FORBIDDEN, desc = "Two had it.")
@State
public class ReadThenClearCanary {
    private volatile int kept = 1;

    /** What an arena does that is opened. */
    @Actor
    public void arena(II_Result r) {
        r.r1 = take();
    }

    /** What a trim does. */
    @Actor
    public void trim(II_Result r) {
        r.r2 = take();
    }

    private int take() {
        int chunk = kept;
        if (chunk != 0) {
            kept = 0;
        }
        return chunk;
    }
}
