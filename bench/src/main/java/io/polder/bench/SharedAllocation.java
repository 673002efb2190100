package io.polder.bench;

import io.polder.MemoryPool;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;

/**
 * What does it cost to open a shared arena, allocate once and close it?
 *
 * <p>The close is a handshake with every thread of the JVM, in microseconds, whoever allocates.
 *
 * <p>Run: {@code bench/run SharedAllocation}
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 10, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 3,
        jvmArgsAppend = {JvmFlags.NATIVE_ACCESS, JvmFlags.UNSAFE_ACCESS})
@State(Scope.Thread)
public class SharedAllocation {
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
