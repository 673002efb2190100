package io.polder.gate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.polder.memory.ProcessFence;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.lang.invoke.VarHandle;

/**
 * The fence of gates alone: store buffering. A reader marks its slot and reads data, by the code of
 * {@link Accessor}; a waiter writes the data and looks at the slot, with the fence that this
 * machine has in between. The figures: the data that the reader read, and whether the waiter saw it
 * inside.
 */
@JCStressTest
@Outcome(id = "1, (0|1)", expect = ACCEPTABLE, desc = "The reader reads the new.")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "The reader is seen inside.")
@Outcome(expect = FORBIDDEN, desc = "The reader reads the old, and is not seen.")
@State
public class FenceLitmusTest {
    private static final ProcessFence FENCE = ProcessFence.ofThisProcess();

    private final long[] slot = Slots.unshared();
    private int data;

    /** The reader is outside. */
    public FenceLitmusTest() {}

    /** Marks its slot and reads. */
    @Actor
    public void reader(II_Result r) {
        Slots.setSectionRelease(slot, CriticalSection.BEGIN);
        VarHandle.acquireFence();
        r.r1 = data;
    }

    /** Writes and looks. */
    @Actor
    public void waiter(II_Result r) {
        data = 1;
        FENCE.run();
        r.r2 = CriticalSection.isInside(Slots.sectionAcquire(slot)) ? 1 : 0;
    }
}
