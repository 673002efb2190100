package io.polder.gate;

import io.polder.memory.ProcessFence;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A thread that becomes a reader, and takes a slot for it, against a close. The figures: what the
 * reader read, and whether its end was seen.
 */
@JCStressTest
@JCStressMeta(SlotCloseTest.class)
@State
public class SlotBirthCloseTest {
    private final ReaderScenario scenario =
            new ReaderScenario(new Gate(ProcessFence.ofThisProcess()));

    /** Nobody is inside. */
    public SlotBirthCloseTest() {}

    /** Enters, reads and leaves. */
    @Actor
    public void reader(II_Result r) {
        r.r1 = scenario.read();
    }

    /** Closes. */
    @Actor
    public void waiter(II_Result r) {
        r.r2 = scenario.close();
    }
}
