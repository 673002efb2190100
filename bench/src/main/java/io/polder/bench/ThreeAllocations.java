package io.polder.bench;

import io.polder.MemoryPool;

import org.lwjgl.system.MemoryStack;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;

import java.lang.foreign.Arena;

/**
 * What do the second and third allocation of a confined arena add?
 *
 * <p>Each method combines all three addresses in its result, so that no allocation is dead code.
 *
 * <p>Run: {@code bench/run ThreeAllocations}
 */
public class ThreeAllocations extends ArenaBenchmark {
    private static final int LWJGL_ALIGNMENT = 8;

    /** Size of each of the three allocations in bytes. */
    @Param({"5", "20"})
    public int size;

    /** Creates the state of one benchmark thread. */
    public ThreeAllocations() {}

    /** Polder's confined arena. */
    @Benchmark
    public long polder() {
        try (Arena arena = MemoryPool.ofConfined()) {
            long first = arena.allocate(size).address();
            long second = arena.allocate(size).address();
            return first ^ second ^ arena.allocate(size).address();
        }
    }

    /** The JDK's confined arena. */
    @Benchmark
    public long jdk() {
        try (Arena arena = Arena.ofConfined()) {
            long first = arena.allocate(size).address();
            long second = arena.allocate(size).address();
            return first ^ second ^ arena.allocate(size).address();
        }
    }

    /** An arena over {@code calloc} and {@code free}. */
    @Benchmark
    public long calloc() {
        try (Arena arena = new CallocArena()) {
            long first = arena.allocate(size).address();
            long second = arena.allocate(size).address();
            return first ^ second ^ arena.allocate(size).address();
        }
    }

    /** LWJGL's thread-local stack, zeroed by LWJGL. */
    @Benchmark
    public long lwjgl() {
        try (MemoryStack stack = MemoryStack.stackPush()) {
            long first = stack.ncalloc(LWJGL_ALIGNMENT, 1, size);
            long second = stack.ncalloc(LWJGL_ALIGNMENT, 1, size);
            return first ^ second ^ stack.ncalloc(LWJGL_ALIGNMENT, 1, size);
        }
    }

    /** {@code calloc} and {@code free} without any arena: no bounds, no lifetime. */
    @Benchmark
    public long malloc() {
        long first = CallocArena.calloc(size);
        long second = CallocArena.calloc(size);
        long third = CallocArena.calloc(size);
        CallocArena.free(third);
        CallocArena.free(second);
        CallocArena.free(first);
        return first ^ second ^ third;
    }
}
