package io.polder.block;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.util.concurrent.locks.LockSupport;

/**
 * Two threads begin, one has ended. The figures: how many of the two have its spans, how many
 * owners there are.
 */
@JCStressTest
@Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "One has them, the other one has new ones.")
@Outcome(expect = FORBIDDEN, desc = "Both have them, or they are lost.")
@State
public class AdoptTest {
    private static final Thread FIRST = parked();
    private static final Thread SECOND = parked();
    private static final Thread ENDED = ended();

    private final ThreadHeaps owners = new ThreadHeaps(Spaces.SPACE);
    private final ThreadHeap left;
    private ThreadHeap first = ThreadHeap.NOBODY;
    private ThreadHeap second = ThreadHeap.NOBODY;

    /** A thread has come and ended. */
    public AdoptTest() {
        left = owners.of(ENDED);
    }

    private static Thread parked() {
        return Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            while (true) {
                                LockSupport.park();
                            }
                        });
    }

    private static Thread ended() {
        Thread thread = new Thread(); // runs no code of this class, which is not initialised yet
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException never) {
            throw new AssertionError("nobody interrupts a test", never);
        }
        return thread;
    }

    /** The first begins. */
    @Actor
    public void first() {
        first = owners.of(FIRST);
    }

    /** The second begins. */
    @Actor
    public void second() {
        second = owners.of(SECOND);
    }

    /** Counts. */
    @Arbiter
    public void count(II_Result r) {
        r.r1 = (first == left ? 1 : 0) + (second == left ? 1 : 0);
        r.r2 = owners.known.size();
    }
}
