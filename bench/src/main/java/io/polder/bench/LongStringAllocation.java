package io.polder.bench;

import io.polder.MemoryPool;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

import java.lang.foreign.Arena;

/**
 * What does it cost to pass a Java string to native code that is about as long as a slab, or much
 * longer?
 *
 * <p>The strings are ASCII. None of these arenas needs to clear memory for them.
 *
 * <p>Run: {@code bench/run LongStringAllocation}
 */
public class LongStringAllocation extends ArenaBenchmark {
    /** Length of the string in characters. */
    @Param({"4000", "7000", "9000", "12000", "20000", "64000", "300000", "2000000"})
    public int length;

    private String text = "";

    /** Creates the state of one benchmark thread. */
    public LongStringAllocation() {}

    /** Makes a string of the length asked for. */
    @Setup
    public void makeText() {
        text = "abcdefghij".repeat((length + 9) / 10).substring(0, length);
    }

    /** Polder's confined arena. */
    @Benchmark
    public long polder() {
        try (Arena arena = MemoryPool.ofConfined()) {
            return arena.allocateFrom(text).address();
        }
    }

    /** The JDK's confined arena. */
    @Benchmark
    public long jdk() {
        try (Arena arena = Arena.ofConfined()) {
            return arena.allocateFrom(text).address();
        }
    }
}
