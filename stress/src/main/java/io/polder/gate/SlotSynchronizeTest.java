package io.polder.gate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.polder.memory.ProcessFence;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A reader of a gate with slots and no fence for readers, against a grace period. The figures:
 * what the reader read, and whether its end was seen. All pairs of threads share the gate.
 */
@JCStressTest
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "The reader was earlier, and was waited for.")
@Outcome(id = "1, (0|1)", expect = ACCEPTABLE, desc = "The reader was later, and reads the new.")
@Outcome(expect = FORBIDDEN, desc = "An earlier reader was not waited for.")
@State
public class SlotSynchronizeTest {
    private static final Gate GATE = new Gate(ProcessFence.ofThisProcess());

    private final ReaderScenario scenario = new ReaderScenario(GATE);

    /** Nobody is inside. */
    public SlotSynchronizeTest() {}

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
