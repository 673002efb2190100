package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.arena.TestScale;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that is alone in a pool and has freed everything gets all that the limit allows, in any
 * way, whatever the background has in its hands at that moment.
 */
class OneThreadPoolTest {
    private static final int POOLS = TestScale.of(4, 8);
    private static final int ROUNDS = TestScale.of(120, 400);

    private enum Way {
        BLOCKS,
        FREEING,
        CONFINED,
        SHARED,
        DEFERRED,
        PAGES
    }

    @Test
    void allocate_allThatTheLimitAllows_afterAllWasFreed_isNeverRefused() throws Exception {
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        Map<Way, Integer> asked = new EnumMap<>(Way.class);
        Seed.naming(
                seed,
                () -> {
                    for (int i = 0; i < POOLS; i++) {
                        onePool(random, asked);
                    }
                });
        assertThat(asked.values()).hasSize(Way.values().length - 1).allMatch(count -> count > 5);
    }

    private static void onePool(SplittableRandom random, Map<Way, Integer> asked) {
        long limit = (2L << 20) * (2 + random.nextInt(8));
        long decayMillis = 1L << random.nextInt(4);
        try (MemoryPool pool =
                MemoryPool.builder()
                        .committedMaxBytes(limit)
                        .decay(Duration.ofMillis(decayMillis))
                        .checkBlocks(random.nextInt(4) == 0)
                        .build()) {
            for (int round = 0; round < ROUNDS; round++) {
                use(pool, way(random), limit / 8, random);
                if (random.nextBoolean()) {
                    LockSupport.parkNanos(random.nextInt((int) decayMillis * 1_500_000));
                }
                Way way = way(random);
                if (way != Way.DEFERRED) { // what is open keeps its group
                    asked.merge(way, 1, Integer::sum);
                    allocate(pool, way, limit);
                }
            }
        }
    }

    private static Way way(SplittableRandom random) {
        return Way.values()[random.nextInt(Way.values().length)];
    }

    /** Takes some of the memory, in pieces, and frees it. */
    private static void use(MemoryPool pool, Way way, long most, SplittableRandom random) {
        List<Arena> arenas = new ArrayList<>();
        List<Long> blocks = new ArrayList<>();
        for (int i = random.nextInt(1, 12); i > 0; i--) {
            long bytes = 1 + random.nextLong(most / 2);
            switch (way) {
                case BLOCKS -> blocks.add(pool.blocks().allocateAddress(bytes / 8));
                case PAGES -> pool.pages().allocate(bytes).close();
                case FREEING -> {
                    try (FreeingArena arena = pool.openFreeing()) {
                        arena.allocate(bytes, 1);
                    }
                }
                default -> {
                    Arena arena = open(pool, way);
                    arenas.add(arena);
                    arena.allocate(bytes / 16, 1);
                }
            }
        }
        blocks.forEach(pool.blocks()::freeAddress);
        arenas.forEach(Arena::close);
    }

    private static Arena open(MemoryPool pool, Way way) {
        return switch (way) {
            case CONFINED -> pool.openConfined();
            case SHARED -> pool.openShared();
            default -> pool.openSharedDeferred();
        };
    }

    /** All of it, less what guards and whole granules need. */
    private static void allocate(MemoryPool pool, Way way, long limit) {
        switch (way) {
            case BLOCKS ->
                    pool.blocks().freeAddress(pool.blocks().allocateAddress(limit - (2 << 20)));
            case PAGES -> pool.pages().allocate(limit).close();
            case FREEING -> {
                try (FreeingArena arena = pool.openFreeing()) {
                    arena.allocate(limit - (2 << 20), 1);
                }
            }
            default -> {
                try (Arena arena = open(pool, way)) {
                    arena.allocate(limit, 8);
                }
            }
        }
    }
}
