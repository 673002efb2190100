package io.polder.bench;

import io.polder.MemoryPool;

import org.openjdk.jmh.annotations.Benchmark;

import java.lang.foreign.Arena;

/**
 * What does a confined arena cost that nobody allocates from? Almost half of all confined arenas in
 * the JDK's own tests are such arenas.
 *
 * <p>Run: {@code bench/run EmptyArena}
 */
public class EmptyArena extends ArenaBenchmark {
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
