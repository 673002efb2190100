package io.polder.gate;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.lang.invoke.VarHandle;

/** The same where the fence is a handshake of the JVM. */
@JCStressTest
@JCStressMeta(FenceLitmusTest.class)
@State
public class HandshakeLitmusTest {
    private final long[] slot = Slots.unshared();
    private int data;

    /** The reader is outside. */
    public HandshakeLitmusTest() {}

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
        ReaderScenario.HANDSHAKE.run();
        r.r2 = CriticalSection.isInside(Slots.sectionAcquire(slot)) ? 1 : 0;
    }
}
