package io.polder.bench;

import io.polder.chunk.ChunkLevel;
import io.polder.chunk.ChunkSpace;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What does it cost to take a chunk and to give it back?
 *
 * <p>Nothing is written to the chunk. {@code alone} splits a root chunk and merges it again each
 * time; {@code beside} has a neighbour that keeps what it takes from being merged. {@code
 * committed} is {@code beside} with a commit of memory that was committed before.
 *
 * <p>Run: {@code bench/run ChunkTurnover}
 */
public class ChunkTurnover extends MemoryBenchmark {
    /** The size of the chunk, in bytes. */
    @Param({"1024", "4096", "65536"})
    public long size;

    private final ChunkSpace empty = newSpace();
    private final ChunkSpace crowded = newSpace();
    private int level;
    private long neighbour;

    /** Creates the state of one benchmark thread. */
    public ChunkTurnover() {}

    private static ChunkSpace newSpace() {
        return new ChunkSpace(
                Providers.choose().provider(), new MemoryBudget(MemoryLimits.NONE, ""));
    }

    /** Takes the neighbour. */
    @Setup
    public void prepare() {
        level = ChunkLevel.fitting(size);
        neighbour = crowded.take(level, level);
    }

    /** Gives all memory back. */
    @TearDown
    public void close() {
        crowded.give(neighbour, 0);
        crowded.close();
        empty.close();
    }

    /** From a root chunk that is free as a whole. */
    @Benchmark
    public long alone() {
        long chunk = empty.take(level, level);
        empty.give(chunk, 0);
        return chunk;
    }

    /** The buddy of a chunk that is taken. */
    @Benchmark
    public long beside() {
        long chunk = crowded.take(level, level);
        crowded.give(chunk, 0);
        return chunk;
    }

    /** The same, committed before use. */
    @Benchmark
    public long committed() {
        long chunk = crowded.take(level, level);
        crowded.commit(chunk, 0, size);
        crowded.give(chunk, 0);
        return chunk;
    }
}
