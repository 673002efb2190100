package io.polder.gate;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A reader of a gate whose fence is a handshake of the JVM, against a grace period. The figures:
 * what the reader read, and whether its end was seen. All pairs of threads share the gate.
 */
@JCStressTest
@JCStressMeta(SlotSynchronizeTest.class)
@State
public class SlotHandshakeSynchronizeTest {
    private static final Gate GATE = new Gate(ReaderScenario.HANDSHAKE);

    private final ReaderScenario scenario = new ReaderScenario(GATE);

    /** Nobody is inside. */
    public SlotHandshakeSynchronizeTest() {}

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
