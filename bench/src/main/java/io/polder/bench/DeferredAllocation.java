package io.polder.bench;

import io.polder.MemoryPool;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * What does it cost to open a shared arena, allocate 100 bytes once and close it, when there are
 * other threads? The handshakes that the background does later are in the time of the deferred one
 * as far as they stop this thread, and by the thread's own share when too many are pending.
 *
 * <p>Run: {@code bench/run DeferredAllocation}
 */
@State(Scope.Benchmark)
public class DeferredAllocation extends ArenaBenchmark {
    /** How many other threads there are, all of them parked. */
    @Param({"0", "100"})
    public int parked;

    private final List<Thread> others = new ArrayList<>();
    private volatile boolean ended;

    /** Creates the state. */
    public DeferredAllocation() {}

    /** Starts the other threads. */
    @Setup(Level.Trial)
    public void park() {
        ended = false;
        for (int i = 0; i < parked; i++) {
            others.add(
                    Thread.ofPlatform()
                            .daemon()
                            .start(
                                    () -> {
                                        while (!ended) {
                                            LockSupport.park(this);
                                        }
                                    }));
        }
    }

    /** Ends them. */
    @TearDown(Level.Trial)
    public void unpark() throws InterruptedException {
        ended = true;
        for (Thread other : others) {
            LockSupport.unpark(other);
            other.join();
        }
        others.clear();
    }

    /** Polder's shared arena with deferred close. */
    @Benchmark
    public long polderDeferred() {
        try (Arena arena = MemoryPool.ofSharedDeferred()) {
            return arena.allocate(100).address();
        }
    }

    /** Polder's shared arena. */
    @Benchmark
    public long polder() {
        try (Arena arena = MemoryPool.ofShared()) {
            return arena.allocate(100).address();
        }
    }

    /** The JDK's shared arena. */
    @Benchmark
    public long jdk() {
        try (Arena arena = Arena.ofShared()) {
            return arena.allocate(100).address();
        }
    }
}
