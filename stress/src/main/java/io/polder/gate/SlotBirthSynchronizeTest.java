package io.polder.gate;

import io.polder.memory.ProcessFence;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A thread that becomes a reader, and takes a slot for it, against a grace period. The figures:
 * what the reader read, and whether its end was seen.
 */
@JCStressTest
@JCStressMeta(SlotSynchronizeTest.class)
@State
public class SlotBirthSynchronizeTest {
    private final ReaderScenario scenario =
            new ReaderScenario(new Gate(ProcessFence.ofThisProcess()));

    /** Nobody is inside. */
    public SlotBirthSynchronizeTest() {}

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
