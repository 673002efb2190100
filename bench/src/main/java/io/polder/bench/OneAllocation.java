package io.polder.bench;

import io.polder.MemoryPool;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;

import java.lang.foreign.Arena;

/** Opens a confined arena, allocates once and closes it. */
public abstract class OneAllocation extends ArenaBenchmark {
    /** Size of the allocation in bytes. */
    @Param({"5", "20", "100", "500", "2000", "8000"})
    public int size;

    /** Creates the state of one benchmark thread. */
    OneAllocation() {}

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
