package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Paint;
import io.polder.chunk.ChunkLevel;
import io.polder.chunk.ChunkSpace;
import io.polder.chunk.SpaceCheck;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** {@link ArenaStress} for each way to grow, with and without a limit. */
class ArenaStressTest {
    private static final int OPERATIONS = 2500;
    private static final long SLAB = 4096;

    @Test
    void run_withoutLimit_neverFails() {
        ArenaFactory memory = memory(MemoryLimits.NONE);
        long seed = Seed.get();
        Seed.naming(
                seed,
                () -> {
                    ArenaStress stress = new ArenaStress(memory, seed);
                    stress.run(OPERATIONS);
                    assertThat(stress.failed()).isZero();
                });
        assertNothingIsLeft(memory);
    }

    /** One owner holds most of what the limit allows, so the others run into it all the time. */
    @Test
    void run_atTheLimit_failsAndRecovers() {
        ArenaFactory memory = memory(new MemoryLimits(2 * ChunkLevel.ROOT_BYTES, 1L << 32));
        long seed = Seed.get();
        try (Arena most = memory.openShared()) {
            MemorySegment ballast = most.allocate(2 * ChunkLevel.ROOT_BYTES - (256 << 10));
            Paint.paint(ballast, seed);
            Seed.naming(
                    seed,
                    () -> {
                        ArenaStress stress = new ArenaStress(memory, seed);
                        stress.run(OPERATIONS);
                        assertThat(stress.failed()).isGreaterThan(OPERATIONS / 100);
                    });
            assertThat(Paint.isPainted(ballast, seed)).isTrue();
        }
        assertNothingIsLeft(memory);
    }

    private static ArenaFactory memory(MemoryLimits limits) {
        return Slabs.memory(Slabs.source(Providers.choose().provider(), limits, SLAB), 2);
    }

    private static void assertNothingIsLeft(ArenaFactory memory) {
        SlabAudit.check(memory);
        memory.trim();
        ChunkSpace space = memory.source().space;
        space.trim();
        SpaceCheck.verifyAtRest(space);
        assertThat(space.statistics().usedBytes()).isZero();
        assertThat(space.statistics().usage().committedBytes()).isZero();
    }
}
