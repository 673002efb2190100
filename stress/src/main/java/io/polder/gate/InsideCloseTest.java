package io.polder.gate;

import io.polder.memory.ProcessFence;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A reader by {@link Gate#insideAsLong}, against a close. The figures: what the reader read, and
 * whether its end was seen. All pairs of threads share the gate.
 */
@JCStressTest
@JCStressMeta(SlotCloseTest.class)
@State
public class InsideCloseTest {
    private static final Gate GATE = new Gate(ProcessFence.ofThisProcess());

    private final ReaderScenario scenario = new ReaderScenario(GATE);

    /** Nobody is inside. */
    public InsideCloseTest() {}

    /** Enters, reads and leaves. */
    @Actor
    public void reader(II_Result r) {
        r.r1 = scenario.readInside();
    }

    /** Closes. */
    @Actor
    public void waiter(II_Result r) {
        r.r2 = scenario.closeAndReopen();
    }
}
