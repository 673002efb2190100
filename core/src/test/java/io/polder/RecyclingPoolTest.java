package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A recycling arena in a pool: how it grows, what happens at a limit, and what is left behind. */
class RecyclingPoolTest {
    private static final long MIB = 1 << 20;

    private record Painted(MemorySegment segment, int seed) {}

    @Test
    void allocate_limitIsHit_goesOnWithWhatIsFreed() {
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(8 * MIB).build()) {
            try (RecyclingArena arena = pool.openRecycling()) {
                List<Painted> live = fill(arena);
                long committed = pool.stats().usage().committedBytes();
                for (int i = 0; i < live.size(); i += 2) {
                    arena.free(live.get(i).segment());
                }
                long used = pool.stats().usedBytes();
                for (int i = 0; i < live.size(); i += 2) {
                    MemorySegment freed = live.get(i).segment();
                    MemorySegment again = arena.allocate(freed.byteSize(), 8);
                    assertThat(Paint.isZero(again)).isTrue();
                    Paint.paint(again, i);
                    live.set(i, new Painted(again, i));
                }
                assertThat(pool.stats().usedBytes()).isEqualTo(used);
                assertThat(pool.stats().usage().committedBytes()).isEqualTo(committed);
                check(live);
                arena.verify();
            }
            pool.trim();
            assertThat(pool.stats().usedBytes()).isZero();
            assertThat(pool.stats().usage().committedBytes()).isZero();
        }
    }

    /** Allocates until the limit is hit; what fails changes nothing. */
    private static List<Painted> fill(RecyclingArena arena) {
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
                assertThat(arena.allocatedCount()).isEqualTo(live.size());
                assertThat(live.size()).isGreaterThan(1000);
                check(live);
                arena.verify();
                return live;
            }
        }
    }

    private static void check(List<Painted> live) {
        for (Painted each : live) {
            assertThat(Paint.isPainted(each.segment(), each.seed())).isTrue();
        }
    }

    @Test
    void free_largerThanARootChunk_isUsedForSmallOnes() {
        try (MemoryPool pool = MemoryPool.builder().build();
                RecyclingArena arena = pool.openRecycling()) {
            MemorySegment large = arena.allocate(9 * MIB, 4096);
            large.fill((byte) 1);
            arena.free(large);
            long used = pool.stats().usedBytes();
            for (int i = 0; i < 9; i++) {
                assertThat(arena.allocate(MIB).mismatch(MemorySegment.ofArray(new byte[1 << 20])))
                        .isEqualTo(-1);
            }
            assertThat(pool.stats().usedBytes()).isEqualTo(used);
            assertThat(arena.freeBytes()).isZero();
            arena.verify();
        }
    }

    @Test
    void openRecycling_poolIsClosed_isRefused() {
        MemoryPool pool = MemoryPool.builder().build();
        pool.close();
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(pool::openRecycling);
    }
}
