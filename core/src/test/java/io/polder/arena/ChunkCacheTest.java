package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.Paint;
import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
import io.polder.chunk.SpaceCheck;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
import io.polder.page.space.Extent;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Chunks that are kept at hand: who finds them, and when they go back. */
class ChunkCacheTest {
    private static final long SLAB = 16 << 10;
    private static final long KIB = 1 << 10;

    /** Above one slab, and of a chunk of twice a slab. */
    private static final long MORE = 20_000;

    private ArenaFactory memory = memory(MemoryLimits.NONE);

    private static ArenaFactory memory(MemoryLimits limits) {
        return Slabs.memory(Slabs.source(Providers.choose().provider(), limits, SLAB), 2);
    }

    @AfterEach
    void nothingIsLeftAfterATrim() {
        SlabAudit.check(memory);
        memory.trim();
        memory.source().space.trim();
        assertThat(ArenaCheck.bytes(memory.chunkCache())).isZero();
        assertThat(memory.source().space.statistics().usedBytes()).isZero();
        assertThat(memory.source().space.statistics().usage().committedBytes()).isZero();
        SpaceCheck.verifyAtRest(memory.source().space);
    }

    private long usedBytes() {
        return memory.source().space.statistics().usedBytes();
    }

    /** Opens an arena, has it allocate and paint, closes it, and returns where the memory was. */
    private long use(long bytes) {
        try (Arena arena = memory.openShared()) {
            MemorySegment segment = arena.allocate(bytes);
            assertThat(Paint.isZero(segment)).isTrue();
            Paint.paint(segment, 7);
            return segment.address();
        }
    }

    @Test
    void close_thenOpen_findsItsChunkWithoutTheSpace() {
        long first = use(MORE);
        assertThat(ArenaCheck.bytes(memory.chunkCache())).isEqualTo(32 * KIB);
        long committed = memory.source().space.statistics().usage().committedTotalBytes();
        for (int i = 0; i < 10; i++) {
            assertThat(use(MORE)).isEqualTo(first);
            assertThat(ArenaCheck.bytes(memory.chunkCache())).isEqualTo(32 * KIB);
        }
        assertThat(memory.source().space.statistics().usage().committedTotalBytes())
                .isEqualTo(committed);
    }

    @Test
    void take_chunkWithMemoryForAPart_commitsTheRest() {
        long first = use(MORE);
        assertThat(use(32 * KIB)).isEqualTo(first);
        assertThat(use(MORE)).isEqualTo(first);
    }

    @Test
    void close_moreThanThereArePlaces_givesTheRestToTheSpace() {
        Arena[] arenas = new Arena[10];
        for (int i = 0; i < arenas.length; i++) {
            arenas[i] = memory.openShared();
            arenas[i].allocate(MORE);
        }
        for (Arena arena : arenas) {
            arena.close();
        }
        assertThat(ArenaCheck.bytes(memory.chunkCache())).isBetween(32 * KIB, 2 * 32 * KIB);
        assertThat(usedBytes()).isEqualTo(ArenaCheck.bytes(memory.chunkCache()));
    }

    @Test
    void close_byAThreadThatEnds_isFoundByOthers() {
        long first = OtherThread.platform(() -> use(MORE));
        assertThat(OtherThread.virtual(() -> use(MORE))).isEqualTo(first);
        assertThat(use(MORE)).isEqualTo(first);
    }

    @Test
    void tick_second_givesBackWhatWasNotTaken() {
        use(MORE);
        assertThat(memory.decay()).as("another tick is needed").isTrue();
        assertThat(ArenaCheck.bytes(memory.chunkCache())).isEqualTo(32 * KIB);
        assertThat(memory.decay()).isFalse();
        assertThat(ArenaCheck.bytes(memory.chunkCache())).isZero();
        assertThat(usedBytes()).isZero();
    }

    @Test
    void tick_takenSince_keepsIt() {
        long first = use(MORE);
        for (int i = 0; i < 5; i++) {
            assertThat(memory.decay()).isTrue();
            assertThat(use(MORE)).isEqualTo(first);
        }
    }

    @Test
    void trim_byAnotherThread_givesAllBack() {
        use(MORE);
        use(3 << 20);
        assertThat(OtherThread.platform(memory::trim)).isEqualTo(2);
        assertThat(ArenaCheck.bytes(memory.chunkCache())).isZero();
        assertThat(usedBytes()).isZero();
    }

    /** A page of the whole limit, for which what is kept must be uncommitted. */
    @Test
    void limit_inTheWayOfAPage_getsTheirMemory() {
        long limit = 256L << 20;
        memory = memory(new MemoryLimits(limit, 1L << 40));
        use(3 << 20);
        assertThat(ArenaCheck.bytes(memory.chunkCache())).isEqualTo(ChunkLevel.ROOT_BYTES);
        Extent page = Objects.requireNonNull(memory.source().takeLarge(limit, 0, true));
        assertThat(ArenaCheck.bytes(memory.chunkCache())).isZero();
        memory.source().giveLarge(page, 0);
        assertThat(memory.source().pages.trim()).isEqualTo(limit);
    }

    @Test
    void limit_small_keepsNoLargeChunks() {
        memory = memory(new MemoryLimits(8 << 20, 1L << 40));
        use(3 << 20);
        assertThat(ArenaCheck.bytes(memory.chunkCache())).isZero();
        use(MORE);
        assertThat(ArenaCheck.bytes(memory.chunkCache())).isEqualTo(32 * KIB);
    }

    @Test
    void close_ofThePool_keepsNothing() {
        use(MORE);
        Arena open = memory.openShared();
        open.allocate(MORE);
        memory.close();
        assertThat(ArenaCheck.bytes(memory.chunkCache())).isZero();
        open.close();
        assertThat(ArenaCheck.bytes(memory.chunkCache())).isZero();
        assertThat(usedBytes()).isZero();
    }

    @Test
    void verify_chunkOfAnotherLevel_fails() {
        ChunkCache kept = memory.chunkCache();
        use(MORE);
        long taken = kept.take(ChunkLevel.fitting(MORE), Long.MAX_VALUE);
        long chunk = ChunkCache.chunk(taken);
        assertThat(ChunkCache.committedBytes(taken)).isBetween(MORE, 32 * KIB);
        int elsewhere = ChunkCache.STRIDE + ChunkLevel.ROOT;
        kept.words[elsewhere] = taken;
        assertThatThrownBy(() -> ArenaCheck.verify(kept)).isInstanceOf(AssertionError.class);
        kept.words[elsewhere] = Chunk.NONE;
        memory.source().space.give(chunk, ChunkCache.committedBytes(taken));
        memory.source().gave();
    }
}
