package io.polder.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.polder.MemoryPool;

import org.openjdk.jmh.annotations.Benchmark;

import java.lang.foreign.Arena;

/**
 * Does an arena opened inside another one cost more than the outer one did?
 *
 * <p>Libraries that call each other nest their arenas. Five deep, each with four longs, is one more
 * than a pool of four slabs holds. Compare {@code polder} with five times {@code polderOneDeep}.
 *
 * <p>Run: {@code bench/run NestedArenas}
 */
public class NestedArenas extends ArenaBenchmark {
    /** Longs allocated in each arena. */
    private static final long LONGS = 4;

    /** Creates the state of one benchmark thread. */
    public NestedArenas() {}

    /** Five of Polder's confined arenas, each opened inside the one before. */
    @Benchmark
    public long polder() {
        try (Arena first = MemoryPool.ofConfined()) {
            long addresses = first.allocate(JAVA_LONG, LONGS).address();
            try (Arena second = MemoryPool.ofConfined()) {
                addresses ^= second.allocate(JAVA_LONG, LONGS).address();
                try (Arena third = MemoryPool.ofConfined()) {
                    addresses ^= third.allocate(JAVA_LONG, LONGS).address();
                    try (Arena fourth = MemoryPool.ofConfined()) {
                        addresses ^= fourth.allocate(JAVA_LONG, LONGS).address();
                        try (Arena fifth = MemoryPool.ofConfined()) {
                            return addresses ^ fifth.allocate(JAVA_LONG, LONGS).address();
                        }
                    }
                }
            }
        }
    }

    /** Five of the JDK's confined arenas, each opened inside the one before. */
    @Benchmark
    public long jdk() {
        try (Arena first = Arena.ofConfined()) {
            long addresses = first.allocate(JAVA_LONG, LONGS).address();
            try (Arena second = Arena.ofConfined()) {
                addresses ^= second.allocate(JAVA_LONG, LONGS).address();
                try (Arena third = Arena.ofConfined()) {
                    addresses ^= third.allocate(JAVA_LONG, LONGS).address();
                    try (Arena fourth = Arena.ofConfined()) {
                        addresses ^= fourth.allocate(JAVA_LONG, LONGS).address();
                        try (Arena fifth = Arena.ofConfined()) {
                            return addresses ^ fifth.allocate(JAVA_LONG, LONGS).address();
                        }
                    }
                }
            }
        }
    }

    /** Five blocks of {@code calloc}, freed in reverse, without any arena. */
    @Benchmark
    public long malloc() {
        long first = CallocArena.calloc(LONGS * JAVA_LONG.byteSize());
        long second = CallocArena.calloc(LONGS * JAVA_LONG.byteSize());
        long third = CallocArena.calloc(LONGS * JAVA_LONG.byteSize());
        long fourth = CallocArena.calloc(LONGS * JAVA_LONG.byteSize());
        long fifth = CallocArena.calloc(LONGS * JAVA_LONG.byteSize());
        CallocArena.free(fifth);
        CallocArena.free(fourth);
        CallocArena.free(third);
        CallocArena.free(second);
        CallocArena.free(first);
        return first ^ second ^ third ^ fourth ^ fifth;
    }

    /** One of Polder's confined arenas. */
    @Benchmark
    public long polderOneDeep() {
        try (Arena arena = MemoryPool.ofConfined()) {
            return arena.allocate(JAVA_LONG, LONGS).address();
        }
    }

    /** One of the JDK's confined arenas. */
    @Benchmark
    public long jdkOneDeep() {
        try (Arena arena = Arena.ofConfined()) {
            return arena.allocate(JAVA_LONG, LONGS).address();
        }
    }
}
