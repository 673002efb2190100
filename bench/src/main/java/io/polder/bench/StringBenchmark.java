package io.polder.bench;

import io.polder.MemoryPool;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;

import java.lang.foreign.Arena;

/** Passes a Java string to native code as a C string. The strings are ASCII. */
public abstract class StringBenchmark extends ArenaBenchmark {
    String text = "";

    /** Creates the state of one benchmark thread. */
    StringBenchmark() {}

    /** Length of the string in characters. */
    abstract int length();

    /** Makes a string of the length asked for. */
    @Setup
    public void makeText() {
        text = "abcdefghij".repeat((length() + 9) / 10).substring(0, length());
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
