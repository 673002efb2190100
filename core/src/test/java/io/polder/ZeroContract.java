package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/** Memory reads as zero, whatever the arena before wrote, and wherever. */
interface ZeroContract extends ArenaUnderTest {
    /** Beyond the longest range that is cleared by single stores. */
    int EVERY_SIZE_UP_TO = 400;

    @Test
    default void allocate_afterEveryUsedSize_readsAsZero() {
        for (int used = 0; used <= EVERY_SIZE_UP_TO; used++) {
            assertZeroAfter(used);
        }
    }

    @Test
    default void allocate_afterSizesAroundPowersOfTwo_readsAsZero() {
        long last = Math.max(32 << 10, 2 * slabBytes());
        for (long power = 256; power <= last; power *= 2) {
            for (long used = power - 1; used <= power + 1; used++) {
                assertZeroAfter(used);
            }
            assertZeroAfter(power - 16);
            assertZeroAfter(power + 16);
        }
    }

    @Test
    default void allocate_afterManyDirtyPieces_readsAsZero() {
        SplittableRandom random = new SplittableRandom(22);
        for (int round = 0; round < 60; round++) {
            try (Arena arena = open()) {
                for (int i = random.nextInt(20); i >= 0; i--) {
                    long alignment = 1L << random.nextInt(8);
                    MemorySegment piece = arena.allocate(random.nextInt(300), alignment);
                    assertThat(Paint.isZero(piece)).isTrue();
                    piece.fill((byte) 0xFF);
                }
            }
            assertWholeSlabZero();
        }
    }

    @Test
    default void allocate_sameArenaAfterDirtyNeighbour_readsAsZero() {
        try (Arena arena = open()) {
            for (int i = 0; i < 200; i++) {
                MemorySegment segment = arena.allocate(i);
                assertThat(Paint.isZero(segment)).isTrue();
                segment.fill((byte) 0xFF);
            }
        }
    }

    private void assertZeroAfter(long used) {
        try (Arena arena = open()) {
            MemorySegment segment = arena.allocate(used, 1);
            assertThat(Paint.isZero(segment.asSlice(0, Math.min(used, 1 << 20)))).isTrue();
            segment.fill((byte) 0xFF);
        }
        assertWholeSlabZero();
    }

    /** The arena before must have cleared all it wrote: this one looks at all it may. */
    private void assertWholeSlabZero() {
        try (Arena arena = open()) {
            MemorySegment all = arena.allocate(Math.clamp(slabBytes(), 64, 128 << 10), 1);
            assertThat(Paint.isZero(all)).isTrue();
        }
    }
}
