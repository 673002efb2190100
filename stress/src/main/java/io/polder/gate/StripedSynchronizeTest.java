package io.polder.gate;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A reader of a gate with counters, against a grace period. The figures: what the reader read, and
 * whether its end was seen. All pairs of threads share the counters.
 */
@JCStressTest
@JCStressMeta(SlotSynchronizeTest.class)
@State
public class StripedSynchronizeTest {
    private static final StripesScenario.Counted COUNTED = new StripesScenario.Counted();

    private final StripesScenario scenario = new StripesScenario(COUNTED);

    /** Nobody is inside. */
    public StripedSynchronizeTest() {}

    /** Enters, reads and leaves. */
    @Actor
    public void reader(II_Result r) {
        r.r1 = scenario.read();
    }

    /** Waits for a grace period. */
    @Actor
    public void waiter(II_Result r) {
        r.r2 = scenario.synchronize();
    }
}
