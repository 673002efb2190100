package io.polder.bench;

import io.polder.MemoryPool;

import org.openjdk.jmh.annotations.Benchmark;

import java.lang.foreign.Arena;

/**
 * What does a confined arena cost that grows to 100 KB in pieces of 100 bytes? Opening, all
 * thousand allocations and closing are one operation.
 *
 * <p>Run: {@code bench/run GrowingArena}
 */
public class GrowingArena extends ArenaBenchmark {
    private static final int PIECES = 1000;
    private static final int BYTES = 100;

    private final long[] addresses = new long[PIECES];

    /** Creates the state of one benchmark thread. */
    public GrowingArena() {}

    /** Polder's confined arena. */
    @Benchmark
    public long polder() {
        try (Arena arena = MemoryPool.ofConfined()) {
            long sum = 0;
            for (int i = 0; i < PIECES; i++) {
                sum += arena.allocate(BYTES).address();
            }
            return sum;
        }
    }

    /** The JDK's confined arena. */
    @Benchmark
    public long jdk() {
        try (Arena arena = Arena.ofConfined()) {
            long sum = 0;
            for (int i = 0; i < PIECES; i++) {
                sum += arena.allocate(BYTES).address();
            }
            return sum;
        }
    }

    /** {@code calloc} and {@code free} without any arena, which keeps addresses in an array. */
    @Benchmark
    public long malloc() {
        long sum = 0;
        for (int i = 0; i < PIECES; i++) {
            addresses[i] = CallocArena.calloc(BYTES);
            sum += addresses[i];
        }
        for (long address : addresses) {
            CallocArena.free(address);
        }
        return sum;
    }
}
