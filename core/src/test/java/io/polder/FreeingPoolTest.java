package io.polder;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.page.Page;

import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A freeing arena in a pool: how it grows, what happens at a limit, and what is left behind. */
class FreeingPoolTest {
    private static final long MIB = 1 << 20;

    private record Painted(MemorySegment segment, int seed) {}

    @Test
    void allocate_limitIsHit_goesOnWithWhatIsFreed() {
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(8 * MIB).build()) {
            try (FreeingArena arena = pool.openFreeing()) {
                List<Painted> live = fill(arena);
                for (int i = 0; i < live.size(); i += 2) {
                    arena.free(live.get(i).segment());
                }
                for (int i = 0; i < live.size(); i += 2) {
                    MemorySegment freed = live.get(i).segment();
                    MemorySegment again = arena.allocate(freed.byteSize(), 8);
                    assertThat(Paint.isZero(again)).isTrue();
                    Paint.paint(again, i);
                    live.set(i, new Painted(again, i));
                }
                check(live);
                PoolCheck.verify(arena);
            }
            pool.trim();
            assertThat(pool.stats().usedBytes()).isZero();
            assertThat(pool.stats().committedBytes()).isZero();
        }
    }

    /** Allocates until the limit is hit; what fails changes nothing. */
    private static List<Painted> fill(FreeingArena arena) {
        SplittableRandom random = new SplittableRandom(1);
        List<Painted> live = new ArrayList<>();
        while (true) {
            long bytes = random.nextInt(10) == 0 ? random.nextInt(100_000) : random.nextInt(500);
            long allocated = arena.allocatedBytes();
            try {
                MemorySegment segment = arena.allocate(bytes, 8);
                Paint.paint(segment, live.size());
                live.add(new Painted(segment, live.size()));
            } catch (OutOfMemoryError limit) {
                assertThat(limit).hasMessageContaining("committedMaxBytes=" + 8 * MIB);
                assertThat(arena.allocatedBytes()).isEqualTo(allocated);
                assertThat(arena.live.count).isEqualTo(live.size());
                assertThat(live.size()).isGreaterThan(1000);
                check(live);
                PoolCheck.verify(arena);
                return live;
            }
        }
    }

    private static void check(List<Painted> live) {
        for (Painted each : live) {
            assertThat(Paint.isPainted(each.segment(), each.seed())).isTrue();
        }
    }

    /** Where blocks are checked, each misuse is told of, and none keeps memory. */
    @Test
    void close_segmentsWrittenBehindTheirEnds_givesAllBackAndTellsOfEach() {
        try (MemoryPool pool = MemoryPool.builder().checkBlocks(true).build()) {
            FreeingArena arena = pool.openFreeing();
            for (int i = 0; i < 10; i++) {
                long behind = arena.allocate(100, 8).address() + 100;
                if (i % 3 == 0) {
                    ADDRESS_SPACE.set(ValueLayout.JAVA_BYTE, behind, (byte) 1);
                }
            }
            assertThatIllegalStateException()
                    .isThrownBy(arena::close)
                    .withMessageContaining("behind the end of a block")
                    .satisfies(told -> assertThat(told.getSuppressed()).hasSize(3));
            assertThat(pool.stats().blocks().usedCount()).isZero();
        }
    }

    /** It is not the arena's any more, and so in nobody's way. */
    @Test
    void close_segmentsFreedAsBlocks_tellsOfEachAndGivesTheRestBack() {
        try (MemoryPool pool = MemoryPool.builder().checkBlocks(true).build()) {
            FreeingArena arena = pool.openFreeing();
            for (int i = 0; i < 10; i++) {
                MemorySegment segment = arena.allocate(100, 8);
                if (i % 3 == 0) {
                    pool.blocks().free(segment);
                }
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(arena::close)
                    .withMessageContaining("a block must not be freed twice")
                    .satisfies(told -> assertThat(told.getSuppressed()).hasSize(3));
            assertThat(pool.stats().blocks().usedCount()).isZero();
            assertThatIllegalStateException()
                    .isThrownBy(arena::close)
                    .withMessage("Already closed");
        }
    }

    @Test
    void free_segmentFreedAsABlock_isRefusedAndTheArenaGoesOn() {
        try (MemoryPool pool = MemoryPool.builder().checkBlocks(true).build()) {
            try (FreeingArena arena = pool.openFreeing()) {
                MemorySegment segment = arena.allocate(100, 8);
                pool.blocks().free(segment);
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> arena.free(segment))
                        .withMessageContaining("a block must not be freed twice");
                arena.free(arena.allocate(100, 8));
                assertThat(arena.allocatedBytes()).isZero();
            }
            assertThat(pool.stats().blocks().usedCount()).isZero();
        }
    }

    /** A block of most of the limit makes room for small ones, and these for one of most of it. */
    @Test
    void free_underALimit_isUsedForOtherSizes() {
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(16 * MIB).build();
                FreeingArena arena = pool.openFreeing()) {
            for (int round = 0; round < 3; round++) {
                MemorySegment large = arena.allocate(9 * MIB, 4096);
                assertThat(Paint.isZero(large)).isTrue();
                large.fill((byte) 1);
                arena.free(large);
                List<MemorySegment> small = new ArrayList<>();
                for (int i = 0; i < 90; i++) {
                    MemorySegment each = arena.allocate(100_000, 16);
                    assertThat(Paint.isZero(each)).isTrue();
                    Paint.paint(each, i);
                    small.add(each);
                }
                for (int i = 0; i < small.size(); i++) {
                    assertThat(Paint.isPainted(small.get(i), i)).isTrue();
                    arena.free(small.get(i));
                }
                PoolCheck.verify(arena);
            }
        }
    }

    @Test
    void close_thousandsAreLive_leavesNothingUsed() {
        try (MemoryPool pool = MemoryPool.builder().build()) {
            try (FreeingArena arena = pool.openFreeing()) {
                for (int i = 0; i < 10_000; i++) {
                    arena.allocate(i % 700, 1L << (i % 9));
                }
                arena.allocate(5 * MIB, 1);
                assertThat(pool.stats().usedBytes()).isGreaterThan(8 * MIB);
            }
            pool.trim();
            assertThat(pool.stats().usedBytes()).isZero();
            assertThat(pool.stats().committedBytes()).isZero();
        }
    }

    @Test
    void allocate_shrinkerClosesTheArena_isRefusedAndNothingIsLost() {
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(8 * MIB).build()) {
            FreeingArena arena = pool.openFreeing();
            arena.allocate(5 * MIB, 1);
            Runnable remove =
                    pool.addShrinker(
                            _ -> {
                                arena.close();
                                return 5 * MIB;
                            },
                            () -> "a test");
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> arena.allocate(5 * MIB, 1))
                    .withMessageContaining("closed");
            remove.run();
            assertThat(pool.stats().blocks().usedCount()).isZero();
            pool.trim();
            assertThat(pool.stats().committedBytes()).isZero();
        }
    }

    /** What is allocated meanwhile takes the room in the table that was made before. */
    @Test
    void allocate_shrinkerAllocatesInTheArena_tableHasRoomForBoth() {
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(8 * MIB).build();
                FreeingArena arena = pool.openFreeing()) {
            Page spare = pool.pages().allocate(4 * MIB);
            while (arena.live.count < arena.live.entries.length / 4 - 1) {
                arena.allocate(8, 8);
            }
            int before = arena.live.count;
            Runnable remove =
                    pool.addShrinker(
                            _ -> {
                                spare.close();
                                arena.allocate(8, 8);
                                return 4 * MIB;
                            },
                            () -> "a test");
            assertThat(arena.allocate(5 * MIB, 1).byteSize()).isEqualTo(5 * MIB);
            remove.run();
            assertThat(arena.live.count).isEqualTo(before + 2);
            PoolCheck.verify(arena);
        }
    }

    @Test
    void allocate_poolIsClosed_isRefusedAndWhatThereIsStays() {
        MemoryPool pool = MemoryPool.builder().build();
        FreeingArena arena = pool.openFreeing();
        MemorySegment segment = arena.allocate(100, 1);
        Paint.paint(segment, 1);
        pool.close();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> arena.allocate(8, 1));
        assertThat(Paint.isPainted(segment, 1)).isTrue();
        arena.free(segment);
        arena.close();
    }

    @Test
    void openFreeing_poolIsClosed_isRefused() {
        MemoryPool pool = MemoryPool.builder().build();
        pool.close();
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(pool::openFreeing);
    }
}
