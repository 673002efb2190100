package io.polder.gate;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A reader of a gate with slots and a full fence, against a grace period. The figures: what the
 * reader read, and whether its end was seen. All pairs of threads share the gate.
 */
@JCStressTest
@JCStressMeta(SlotSynchronizeTest.class)
@State
public class SlotFullSynchronizeTest {
    private static final Gate GATE = new Gate(GateFence.full());

    private final ReaderScenario scenario = new ReaderScenario(GATE);

    /** Nobody is inside. */
    public SlotFullSynchronizeTest() {}

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
