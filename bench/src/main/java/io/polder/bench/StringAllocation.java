package io.polder.bench;

import org.lwjgl.system.MemoryStack;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;

import java.lang.foreign.Arena;

/**
 * What does it cost to pass a Java string to native code as a C string?
 *
 * <p>The strings are ASCII, as most strings are that native functions take.
 *
 * <p>Run: {@code bench/run StringAllocation}
 */
public class StringAllocation extends StringBenchmark {
    /** Length of the string in characters. */
    @Param({"5", "20", "100", "200"})
    public int length;

    /** Creates the state of one benchmark thread. */
    public StringAllocation() {}

    @Override
    int length() {
        return length;
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
