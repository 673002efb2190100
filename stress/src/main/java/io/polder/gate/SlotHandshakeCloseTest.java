package io.polder.gate;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A reader of a gate whose fence is a handshake of the JVM, against a close. The figures: what the
 * reader read, and whether its end was seen. All pairs of threads share the gate.
 */
@JCStressTest
@JCStressMeta(SlotCloseTest.class)
@State
public class SlotHandshakeCloseTest {
    private static final Gate GATE = new Gate(ReaderScenario.HANDSHAKE);

    private final ReaderScenario scenario = new ReaderScenario(GATE);

    /** Nobody is inside. */
    public SlotHandshakeCloseTest() {}

    /** Enters, reads and leaves. */
    @Actor
    public void reader(II_Result r) {
        r.r1 = scenario.read();
    }

    /** Closes. */
    @Actor
    public void waiter(II_Result r) {
        r.r2 = scenario.closeAndReopen();
    }
}
