package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.arena.Seed;
import io.polder.page.Page;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Who makes room for an arena may allocate in that arena. */
class AllocationInShrinkerTest {
    private static final long LIMIT = 8 << 20;
    private static final int ROUNDS = 25;

    private enum Kind {
        CONFINED,
        SHARED,
        DEFERRED;

        Arena open(MemoryPool pool) {
            return switch (this) {
                case CONFINED -> pool.openConfined();
                case SHARED -> pool.openShared();
                case DEFERRED -> pool.openSharedDeferred();
            };
        }
    }

    /** Segments of one arena, each full of its own number. */
    private static final class Written {
        private final List<MemorySegment> segments = new ArrayList<>();

        void allocate(Arena arena, long bytes, long alignment) {
            MemorySegment segment = arena.allocate(bytes, alignment);
            assertThat(segment.byteSize()).isEqualTo(bytes);
            for (long at = 0; at < bytes; at += 512) {
                assertThat(segment.get(ValueLayout.JAVA_BYTE, at)).as("zero").isZero();
            }
            segments.add(segment);
            segment.fill(number(segments.size() - 1));
        }

        private static byte number(int index) {
            return (byte) (1 + index % 251);
        }

        void check() {
            for (int i = 0; i < segments.size(); i++) {
                MemorySegment segment = segments.get(i);
                MemorySegment expected = MemorySegment.ofArray(new byte[(int) segment.byteSize()]);
                expected.fill(number(i));
                assertThat(segment.mismatch(expected)).as("segment %d", i).isEqualTo(-1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shrinkerThatAllocates_segmentsDoNotOverlap(Kind kind) throws Exception {
        long seed = Seed.get();
        Seed.naming(
                seed,
                () -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    int nested = 0;
                    for (int round = 0; round < ROUNDS; round++) {
                        nested += round(kind, random);
                    }
                    assertThat(nested).as("allocations of shrinkers").isPositive();
                });
    }

    /** Allocates until nothing is left to make room with; returns how often a shrinker did. */
    private static int round(Kind kind, SplittableRandom random) {
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(LIMIT).build()) {
            List<Page> spare = new ArrayList<>();
            while (spare.size() < 3) {
                spare.add(pool.pages().allocate(2 << 20));
            }
            Written written = new Written();
            int[] nested = new int[1];
            long taken;
            try (Arena arena = kind.open(pool)) {
                Runnable remove =
                        pool.addShrinker(
                                _ -> {
                                    if (spare.isEmpty()) {
                                        return 0;
                                    }
                                    spare.removeLast().close();
                                    for (int i = random.nextInt(4); i > 0; i--) {
                                        written.allocate(arena, 1 + random.nextInt(3000), 8);
                                        nested[0]++;
                                    }
                                    return 2 << 20;
                                },
                                () -> "a test");
                try {
                    for (int i = random.nextInt(3); i > 0; i--) {
                        written.allocate(arena, 1 + random.nextInt(5000), 8);
                    }
                    while (true) {
                        int most = random.nextBoolean() ? 5000 : 600_000;
                        written.allocate(arena, 1 + random.nextInt(most), 1L << random.nextInt(8));
                    }
                } catch (OutOfMemoryError full) {
                    assertThat(spare).isEmpty();
                }
                remove.run();
                written.check();
                taken = pool.stats().committedBytes();
            }
            assertThat(taken).isLessThanOrEqualTo(LIMIT);
            return nested[0];
        }
    }

    @Test
    void shrinkerThatClosesTheArena_isRefusedAndNothingIsLost() {
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(LIMIT).build()) {
            Page spare = pool.pages().allocate(6 << 20);
            Arena arena = pool.openConfined();
            Runnable remove =
                    pool.addShrinker(
                            _ -> {
                                arena.close();
                                spare.close();
                                return 6 << 20;
                            },
                            () -> "a test");
            assertThatIllegalStateException().isThrownBy(() -> arena.allocate(4 << 20));
            remove.run();
            assertThat(arena.scope().isAlive()).isFalse();
            try (Arena other = pool.openConfined()) {
                assertThat(other.allocate(4 << 20).byteSize()).isEqualTo(4 << 20);
            }
        }
    }
}
