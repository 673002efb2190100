package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Paint;
import io.polder.chunk.ChunkLevel;
import io.polder.chunk.ChunkSpace;
import io.polder.chunk.SpaceCheck;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Four threads on one shared arena, and on four of them, with so little memory that all run into
 * the limit. Each block is painted by the thread that got it and checked at the end.
 */
@Timeout(300)
class SharedArenaThreadsTest {
    private static final int THREADS = 4;
    private static final int OPERATIONS = 6000;
    private static final MemoryLimits LIMITS =
            new MemoryLimits(2 * ChunkLevel.ROOT_BYTES, 1L << 32);

    private final AtomicInteger allocated = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger replaced = new AtomicInteger();
    private ArenaFactory memory = memory();

    private record Painted(MemorySegment segment, int seed) {
        void check() {
            assertThat(Paint.isPainted(segment, seed)).as("block %s", segment).isTrue();
        }
    }

    private static ArenaFactory memory() {
        return Slabs.memory(Slabs.source(Providers.choose().provider(), LIMITS, 4096), 2);
    }

    @AfterEach
    void everythingComesBack() {
        ChunkSpace space = memory.source().space;
        SlabAudit.check(memory);
        memory.trim();
        space.trim();
        SpaceCheck.verifyAtRest(space);
        assertThat(space.statistics().usedBytes()).isZero();
        assertThat(space.statistics().usage().committedBytes()).isZero();
    }

    @Test
    void allocate_byFourThreadsFromOneArena_untilTheLimit() {
        Arena arena = memory.openShared();
        onThreads(
                random -> {
                    List<Painted> mine = new ArrayList<>();
                    for (int i = 0; i < OPERATIONS; i++) {
                        allocate(arena, random, mine);
                    }
                    mine.forEach(Painted::check);
                });
        assertThat(allocated.get()).isGreaterThan(3000);
        assertThat(failed.get()).as("the limit was hit").isGreaterThan(100);
        SpaceCheck.verifyAtRest(memory.source().space);
        arena.close();
    }

    /** An arena that failed is closed and replaced, while the other threads go on. */
    @Test
    void allocate_byFourThreadsFromTheirOwn_recoversWhenOneIsClosed() {
        onThreads(
                random -> {
                    Arena arena = memory.openShared();
                    List<Painted> mine = new ArrayList<>();
                    for (int i = 0; i < OPERATIONS; i++) {
                        if (!allocate(arena, random, mine) && random.nextInt(4) == 0) {
                            mine.forEach(Painted::check);
                            mine.clear();
                            arena.close();
                            arena = memory.openShared();
                            replaced.incrementAndGet();
                        }
                    }
                    mine.forEach(Painted::check);
                    arena.close();
                });
        assertThat(allocated.get()).isGreaterThan(THREADS * OPERATIONS / 2);
        assertThat(failed.get()).as("the limit was hit").isPositive();
        assertThat(replaced.get()).isPositive();
    }

    private boolean allocate(Arena arena, SplittableRandom random, List<Painted> mine) {
        long bytes =
                8L
                        * (1
                                + random.nextInt(
                                        switch (random.nextInt(10)) {
                                            case 0 -> 2048;
                                            case 1, 2 -> 512;
                                            default -> 32;
                                        }));
        MemorySegment segment;
        try {
            segment = arena.allocate(bytes, 1L << random.nextInt(8));
        } catch (OutOfMemoryError full) {
            assertThat(full).hasMessageContaining("committedMaxBytes");
            failed.incrementAndGet();
            return false;
        }
        assertThat(Paint.isZero(segment)).isTrue();
        int seed = random.nextInt(1000);
        Paint.paint(segment, seed);
        mine.add(new Painted(segment, seed));
        allocated.incrementAndGet();
        return true;
    }

    private static void onThreads(SeededThreads.Use use) {
        long seed = Seed.get();
        Seed.naming(seed, () -> SeededThreads.run(THREADS, seed, use));
    }
}
