package io.polder.bench;

import io.polder.MemoryPool;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;

import java.lang.foreign.Arena;

/**
 * What does it cost to open a shared arena, allocate once and close it?
 *
 * <p>The close is a handshake with every thread of the JVM, in microseconds, no matter who
 * allocates.
 *
 * <p>Run: {@code bench/run SharedAllocation}
 */
public class SharedAllocation extends ArenaBenchmark {
    /** Size of the allocation in bytes. */
    @Param({"20", "2000"})
    public int size;

    /** Creates the state of one benchmark thread. */
    public SharedAllocation() {}

    /** Polder's shared arena. */
    @Benchmark
    public long polder() {
        try (Arena arena = MemoryPool.ofShared()) {
            return arena.allocate(size).address();
        }
    }

    /** The JDK's shared arena. */
    @Benchmark
    public long jdk() {
        try (Arena arena = Arena.ofShared()) {
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
