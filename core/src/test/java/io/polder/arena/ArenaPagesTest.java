package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.Await;
import io.polder.Paint;
import io.polder.chunk.ChunkLevel;
import io.polder.memory.MemoryLimits;
import io.polder.page.space.Deadline;
import io.polder.page.space.Extent;
import io.polder.page.space.PageFigures;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Arenas with allocations above a root chunk, and the budget that chunks and pages share. */
class ArenaPagesTest {
    private static final long MIB = 1 << 20;
    private static final long ROOT = ChunkLevel.ROOT_BYTES;
    private static final long LIMIT = 16 * MIB;
    private static final long SLAB = 4096;

    @RegisterExtension final Slabs fixture = new Slabs();

    private final ArenaFactory memory = fixture.create(MemoryLimits.NONE, SLAB, 2);
    private final ArenaFactory limited = fixture.create(new MemoryLimits(LIMIT, 1L << 40), SLAB, 2);

    private static PageFigures pages(ArenaFactory memory) {
        return pageSpace(memory).statistics();
    }

    private static PageSpace pageSpace(ArenaFactory memory) {
        return memory.source().pages;
    }

    private static List<Arena> kinds(ArenaFactory memory) {
        return List.of(memory.openConfined(), memory.openShared(), memory.openDeferred());
    }

    private static void close(ArenaFactory memory, Arena arena) {
        arena.close();
        memory.close();
        Await.until(() -> !memory.tick());
    }

    private static void paintEnds(MemorySegment segment, long seed) {
        Paint.paint(segment.asSlice(0, 1000), seed);
        Paint.paint(segment.asSlice(segment.byteSize() - 1000), seed);
    }

    private static boolean endsPainted(MemorySegment segment, long seed) {
        return Paint.isPainted(segment.asSlice(0, 1000), seed)
                && Paint.isPainted(segment.asSlice(segment.byteSize() - 1000), seed);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void allocate_aboveARootChunk_ofEachKindOfArena_isZeroAndItsOwn(int kind) {
        for (int round = 0; round < 3; round++) {
            ArenaFactory own = fixture.create(MemoryLimits.NONE, SLAB, 2);
            Arena arena = kinds(own).get(kind);
            MemorySegment small = arena.allocate(100);
            MemorySegment first = arena.allocate(ROOT + 1);
            MemorySegment second = arena.allocate(9 * MIB, 4096);
            assertThat(Paint.isZero(first) && Paint.isZero(second)).isTrue();
            Paint.paint(small, 1);
            Paint.paint(first, 2);
            Paint.paint(second, 3);
            assertThat(Paint.isPainted(small, 1) && Paint.isPainted(first, 2)).isTrue();
            assertThat(pages(own).takenPages()).isEqualTo(2);
            assertThat(pages(own).takenBytes()).isEqualTo(16 * MIB);
            close(own, arena);
            assertThat(pages(own).takenPages()).isZero();
            assertThat(pages(own).freeDirtyBytes()).as("what was allocated").isPositive();
        }
    }

    /** What an arena left in a page is gone before the next one has it. */
    @Test
    void allocate_afterAnotherArena_readsAsZeroAgain() {
        long address = 0;
        int again = 0;
        for (int i = 0; i < 20; i++) {
            try (Arena arena = i % 2 == 0 ? memory.openConfined() : memory.openShared()) {
                MemorySegment segment = arena.allocate((5 + i % 3) * MIB);
                assertThat(Paint.isZero(segment)).isTrue();
                segment.fill((byte) -1);
                again += segment.address() == address ? 1 : 0;
                address = segment.address();
            }
        }
        assertThat(again).as("the memory was used again").isPositive();
        assertThat(pages(memory).committedTotalBytes()).isLessThanOrEqualTo(16 * MIB);
    }

    /** The last granule has a part of it: the next one clears that. */
    @Test
    void close_tailOfAGranule_isClearedByTheNext() {
        for (long tail : new long[] {MIB / 2, MIB, 3 * MIB / 2}) {
            try (Arena arena = memory.openConfined()) {
                Paint.paint(arena.allocate(4 * MIB + tail), 5);
            }
            assertThat(pages(memory).freeDirtyBytes()).isEqualTo(6 * MIB);
            try (Arena arena = memory.openConfined()) {
                assertThat(Paint.isZero(arena.allocate(6 * MIB))).isTrue();
            }
            assertThat(pageSpace(memory).trim()).isPositive();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 4096, 1 << 21, 1 << 22, 1 << 25, 1 << 30})
    void allocate_aligned_isAligned(long alignment) {
        try (Arena confined = memory.openConfined();
                Arena shared = memory.openShared()) {
            for (Arena arena : List.of(confined, shared)) {
                for (long bytes : new long[] {5 * MIB, 7 * MIB + 3}) {
                    MemorySegment segment = arena.allocate(bytes, alignment);
                    assertThat(segment.address() % alignment).isZero();
                    paintEnds(segment, bytes);
                    assertThat(endsPainted(segment, bytes)).isTrue();
                }
            }
        }
        long slack = Math.max(0, alignment - PageSpace.GRANULE_BYTES);
        assertThat(pages(memory).committedTotalBytes())
                .as("slack only beyond a granule")
                .isLessThanOrEqualTo(2 * (6 * MIB + 8 * MIB + 2 * slack));
    }

    @Test
    void allocate_allThatTheLimitAllows_isServed_andNoMore() {
        try (Arena arena = limited.openShared()) {
            MemorySegment all = arena.allocate(LIMIT);
            paintEnds(all, 1);
            try (Arena other = limited.openShared()) {
                for (long bytes : new long[] {1, 1000, ROOT, 5 * MIB}) {
                    assertThatExceptionOfType(OutOfMemoryError.class)
                            .isThrownBy(() -> other.allocate(bytes))
                            .withMessageStartingWith(
                                    "committed memory must stay within its limit:"
                                            + " committedMaxBytes="
                                            + LIMIT
                                            + ", committedBytes="
                                            + LIMIT);
                }
            }
            assertThat(endsPainted(all, 1)).isTrue();
        }
        try (Arena arena = limited.openShared()) {
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> arena.allocate(LIMIT + 1))
                    .withMessageContaining("exceededByBytes=" + PageSpace.GRANULE_BYTES);
            assertThat(arena.allocate(1000).byteSize()).isEqualTo(1000);
        }
    }

    /** Whatever was used before, free memory of the one kind is room for the other. */
    @Test
    void allocate_alternating_movesMemoryBetweenChunksAndPages() {
        for (int round = 0; round < 5; round++) {
            try (Arena chunks = limited.openShared()) {
                for (int i = 0; i < LIMIT / MIB - 1; i++) {
                    MemorySegment segment = chunks.allocate(MIB);
                    assertThat(Paint.isZero(segment)).isTrue();
                    Paint.paint(segment, round);
                }
                assertThat(pages(limited).committedBytes()).isLessThanOrEqualTo(MIB);
            }
            try (Arena pages = limited.openShared()) {
                MemorySegment segment = pages.allocate(LIMIT - 2 * MIB);
                assertThat(Paint.isZero(segment)).isTrue();
                Paint.paint(segment, round);
                assertThat(limited.source().space.statistics().usage().committedBytes())
                        .isLessThanOrEqualTo(2 * MIB);
            }
        }
    }

    /** A thread that waits in the queue for a page gets it when an arena gives its chunks back. */
    @Test
    @Timeout(300)
    void close_ofAnArenaWithChunks_wakesWhoWaitsForAPage() throws Exception {
        for (int round = 0; round < 50; round++) {
            PageSpace pages = pageSpace(limited);
            FutureTask<Extent> waiter =
                    new FutureTask<>(
                            () ->
                                    pages.takeOrWait(
                                            12 * MIB,
                                            true,
                                            new Deadline(TimeUnit.HOURS.toNanos(1), () -> false)));
            Thread thread = Thread.ofPlatform().daemon().unstarted(waiter);
            try (Arena arena = limited.openShared()) {
                for (int i = 0; i < 8; i++) {
                    arena.allocate(MIB);
                }
                thread.start();
                Await.until(() -> pages.statistics().waiting() != 0);
                assertThat(waiter.isDone()).isFalse();
            }
            Extent page = waiter.get();
            assertThat(page.bytes()).isEqualTo(12 * MIB);
            pages.give(page, 0);
            Await.end(thread);
        }
    }

    @Test
    void allocate_closedPool_isRefused_andWhatIsOutComesBack() {
        ArenaFactory closing = fixture.create(MemoryLimits.NONE, SLAB, 2);
        Arena arena = closing.openShared();
        MemorySegment kept = arena.allocate(5 * MIB);
        Paint.paint(kept, 7);
        closing.close();
        pageSpace(closing).shut();
        assertThatIllegalStateException()
                .isThrownBy(() -> arena.allocate(5 * MIB))
                .withMessageContaining("the pool is closed");
        assertThat(Paint.isPainted(kept, 7)).isTrue();
        assertThatIllegalStateException().isThrownBy(pageSpace(closing)::close);
        arena.close();
        pageSpace(closing).close();
        assertThat(pages(closing).reservedBytes()).isZero();
    }
}
