package io.polder.bench;

import io.polder.MemoryPool;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;

import java.lang.foreign.Arena;

/**
 * What does an allocation of 100 bytes cost in an arena that lives long, as it grows to 10 MB?
 * Taking chunks and committing is in the time. Memory that was committed before is used again, so
 * page faults are not, and opening and closing are not.
 *
 * <p>Run: {@code bench/run ArenaGrowth}
 */
public class ArenaGrowth extends ArenaBenchmark {
    /** Long enough for what is done before and after not to count. */
    private static final int ALLOCATIONS = 100_000;

    private static final int BYTES = 100;

    /** Which arena. */
    @Param({"confined", "shared", "jdk"})
    public String kind = "confined";

    private Arena arena = Arena.global();

    /** Creates the state of one benchmark thread. */
    public ArenaGrowth() {}

    /** Opens the arena. */
    @Setup(Level.Invocation)
    public void open() {
        arena =
                switch (kind) {
                    case "confined" -> MemoryPool.ofConfined();
                    case "shared" -> MemoryPool.ofShared();
                    default -> Arena.ofConfined();
                };
    }

    /** Closes it. */
    @TearDown(Level.Invocation)
    public void close() {
        arena.close();
    }

    /** Allocates. */
    @Benchmark
    @OperationsPerInvocation(ALLOCATIONS)
    public void allocate(Blackhole hole) {
        Arena grows = arena;
        for (int i = 0; i < ALLOCATIONS; i++) {
            hole.consume(grows.allocate(BYTES, Long.BYTES).address());
        }
    }
}
