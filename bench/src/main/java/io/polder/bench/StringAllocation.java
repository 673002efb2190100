package io.polder.bench;

import io.polder.MemoryPool;

import org.lwjgl.system.MemoryStack;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

import java.lang.foreign.Arena;

/**
 * What does it cost to pass a Java string to native code as a C string?
 *
 * <p>The strings are ASCII, as most strings are that native functions take.
 *
 * <p>Run: {@code bench/run StringAllocation}
 */
public class StringAllocation extends ArenaBenchmark {
    /** Length of the string in characters. */
    @Param({"5", "20", "100", "200"})
    public int length;

    private String text = "";

    /** Creates the state of one benchmark thread. */
    public StringAllocation() {}

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

    /** An arena over {@code calloc} and {@code free}. */
    @Benchmark
    public long calloc() {
        try (Arena arena = new CallocArena()) {
            return arena.allocateFrom(text).address();
        }
    }

    /** LWJGL's thread-local stack. */
    @Benchmark
    public long lwjgl() {
        try (MemoryStack stack = MemoryStack.stackPush()) {
            stack.nUTF8(text, true);
            return stack.getPointerAddress();
        }
    }
}
