package io.polder.block.canary;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A list whose head is read and then written, instead of compared and set. */
@JCStressTest
@Outcome(id = "2", expect = ACCEPTABLE, desc = "Both blocks are in the list.")
@Outcome(expect = FORBIDDEN, desc = "A block is lost.")
@State
public class ReadThenLinkCanary {
    private final int[] links = new int[3];
    private volatile int head;

    /** Frees. */
    @Actor
    public void first() {
        add(1);
    }

    /** Frees. */
    @Actor
    public void second() {
        add(2);
    }

    private void add(int block) {
        links[block] = head;
        head = block;
    }

    /** Counts. */
    @Arbiter
    public void count(I_Result r) {
        for (int block = head; block != 0; block = links[block]) {
            r.r1++;
        }
    }
}
