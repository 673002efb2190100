package io.polder.bench;

import io.polder.MemoryPool;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Param;

import java.lang.foreign.Arena;

/**
 * What does a confined arena with one allocation cost in a virtual thread?
 *
 * <p>The measured loop itself runs in a virtual thread (JMH's {@code jmh.executor}), so that
 * nothing but the arena is measured: no thread is started, parked or moved.
 *
 * <p>Run: {@code bench/run VirtualThreadAllocation}
 */
@Fork(
        value = 3,
        jvmArgsAppend = {JvmFlags.NATIVE_ACCESS, JvmFlags.UNSAFE_ACCESS, JvmFlags.VIRTUAL_THREADS})
public class VirtualThreadAllocation extends ArenaBenchmark {
    /** Size of the allocation in bytes. */
    @Param({"5", "20", "100", "500", "2000", "8000"})
    public int size;

    /** Creates the state of one benchmark thread. */
    public VirtualThreadAllocation() {}

    /** Polder's confined arena. */
    @Benchmark
    public long polder() {
        try (Arena arena = MemoryPool.ofConfined()) {
            return arena.allocate(size).address();
        }
    }

    /** The JDK's confined arena. */
    @Benchmark
    public long jdk() {
        try (Arena arena = Arena.ofConfined()) {
            return arena.allocate(size).address();
        }
    }

    /** An arena over {@code calloc} and {@code free}. */
    @Benchmark
    public long calloc() {
        try (Arena arena = new CallocArena()) {
            return arena.allocate(size).address();
        }
    }

    /** {@code calloc} and {@code free} without any arena: no bounds, no lifetime. */
    @Benchmark
    public long malloc() {
        long address = CallocArena.calloc(size);
        CallocArena.free(address);
        return address;
    }
}
