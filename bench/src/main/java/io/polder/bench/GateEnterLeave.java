package io.polder.bench;

import io.polder.gate.Accessor;
import io.polder.gate.Gate;
import io.polder.memory.ProcessFence;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

/**
 * What does it cost to enter a gate and to leave it, against the read lock of the JDK's locks?
 *
 * <p>All threads pass the same gate. One thread shows the price of the instructions, two or more
 * the price of what they share.
 *
 * <p>Run: {@code bench/run GateEnterLeave}, and with {@code -t 2}
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(value = 3, jvmArgsAppend = JvmFlags.NATIVE_ACCESS)
public class GateEnterLeave {
    /** Creates the benchmark. */
    public GateEnterLeave() {}

    /** A gate with slots. */
    @State(Scope.Benchmark)
    public static class Slot {
        private final Gate gate = new Gate(ProcessFence.ofThisProcess());

        /** Creates the state of all threads. */
        public Slot() {}
    }

    /** The way of one thread through the gate with slots. */
    @State(Scope.Thread)
    public static class SlotAccessor {
        @SuppressWarnings("NullAway.Init")
        private Accessor accessor;

        /** Creates the state of one thread. */
        public SlotAccessor() {}

        /**
         * Asks for the accessor, in the thread that will use it.
         *
         * @param slot its gate
         */
        @Setup
        public void ask(Slot slot) {
            accessor = slot.gate.accessor();
        }
    }

    /** Locks of the JDK. */
    @State(Scope.Benchmark)
    public static class Locks {
        private final StampedLock stamped = new StampedLock();
        private final ReentrantReadWriteLock readWrite = new ReentrantReadWriteLock();

        /** Creates the state of all threads. */
        public Locks() {}
    }

    /** A slot for each thread, and no fence. */
    @Benchmark
    public void slot(Slot state) {
        long section = state.gate.accessor().begin();
        state.gate.accessor().end(section);
    }

    /** A slot for each thread, looked up once for both, and no fence. */
    @Benchmark
    public void slotOneLookUp(Slot state) {
        Accessor accessor = state.gate.accessor();
        accessor.end(accessor.begin());
    }

    /** A slot for each thread that is not looked up, and no fence. */
    @Benchmark
    public void accessor(SlotAccessor state) {
        state.accessor.end(state.accessor.begin());
    }

    /** The JDK's lock without reentrance. */
    @Benchmark
    public void stampedLock(Locks state) {
        state.stamped.unlockRead(state.stamped.readLock());
    }

    /** The JDK's reentrant lock. */
    @Benchmark
    @SuppressWarnings("LockNotBeforeTry") // what is measured
    public void readWriteLock(Locks state) {
        state.readWrite.readLock().lock();
        state.readWrite.readLock().unlock();
    }
}
