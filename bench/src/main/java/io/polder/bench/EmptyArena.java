package io.polder.bench;

import io.polder.MemoryPool;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;

/**
 * What does a confined arena cost that nobody allocates from? Almost half of all confined arenas in
 * the JDK's own tests are such arenas.
 *
 * <p>Run: {@code bench/run EmptyArena}
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 10, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 3,
        jvmArgsAppend = {JvmFlags.NATIVE_ACCESS, JvmFlags.UNSAFE_ACCESS})
@State(Scope.Thread)
public class EmptyArena {
    /** Creates the state of one benchmark thread. */
    public EmptyArena() {}

    /** Polder's confined arena. */
    @Benchmark
    public void polder() {
        try (Arena _ = MemoryPool.ofConfined()) {
            // Nobody allocates.
        }
    }

    /** The JDK's confined arena. */
    @Benchmark
    public void jdk() {
        try (Arena _ = Arena.ofConfined()) {
            // Nobody allocates.
        }
    }
}
