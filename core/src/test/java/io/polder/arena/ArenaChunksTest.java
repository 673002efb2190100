package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.Paint;
import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
import io.polder.chunk.ChunkStatistics;
import io.polder.chunk.FreeMemory;
import io.polder.chunk.SpaceCheck;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;

/** How an arena goes on when its current chunk is used up. */
class ArenaChunksTest {
    private static final long ROOT = ChunkLevel.ROOT_BYTES;
    private static final long KIB = 1 << 10;

    private ChunkSource source = source(MemoryLimits.NONE);
    private ArenaChunks chunks = new ArenaChunks(source);

    private static ChunkSource source(MemoryLimits limits) {
        return Slabs.source(Providers.choose().provider(), limits, 4 * KIB);
    }

    private void use(MemoryLimits limits) {
        source = source(limits);
        chunks = new ArenaChunks(source);
    }

    @AfterEach
    void everythingComesBack() {
        ArenaCheck.verify(chunks);
        chunks.giveRest();
        if (chunks.slab() != Chunk.NONE) {
            giveSlab();
        }
        assertThat(statistics().usedBytes()).isZero();
        assertThat(takenPages()).isZero();
        assertThat(FreeMemory.dirty(source.space)).isEmpty();
        source.space.trim();
        assertThat(statistics().usage().committedBytes()).isZero();
        SpaceCheck.verifyAtRest(source.space);
    }

    /** What the arena does with a first chunk that is a slab. */
    private void giveSlab() {
        source.space.give(source.chunk(chunks.slab()), chunks.usedBytes(0));
        source.gave();
        chunks.words[0] = Chunk.NONE;
    }

    private ChunkStatistics statistics() {
        return source.space.statistics();
    }

    private int takenPages() {
        return source.pages.statistics().takenPages();
    }

    private long allocate(long bytes) {
        return allocate(bytes, 16);
    }

    /** Allocates as arenas do that ask here each time, and checks what was had. */
    private long allocate(long bytes, long alignment) {
        long start = chunks.allocate(bytes, alignment, false);
        assertThat(start).isNotZero();
        assertThat(start % alignment).isZero();
        assertThat(Paint.isZero(memory(start, Math.min(bytes, 1 << 20)))).isTrue();
        ArenaCheck.verify(chunks);
        return start;
    }

    @SuppressWarnings("restricted")
    private static MemorySegment memory(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    private int chunkCount() {
        return chunks.count;
    }

    /** Takes the buddy of the current chunk, if that is free: then it cannot be doubled. */
    private long block() {
        long chunk = chunks.words[0];
        long neighbour = source.space.take(Chunk.level(chunk), Chunk.level(chunk));
        assertThat(Chunk.address(neighbour)).isEqualTo(Chunk.address(chunk) + Chunk.bytes(chunk));
        return neighbour;
    }

    @Test
    void allocate_currentChunkFull_doublesItInPlaceAndKeepsItsContent() {
        long first = allocate(1000);
        Paint.paint(memory(first, 1000), 1);
        long second = allocate(1000);
        assertThat(second).isBetween(first + 1000, first + 1024);
        assertThat(chunkCount()).isEqualTo(1);
        assertThat(Chunk.bytes(chunks.words[0])).isEqualTo(2 * KIB);
        assertThat(Paint.isPainted(memory(first, 1000), 1)).isTrue();
    }

    @Test
    void allocate_followerTaken_takesAnotherChunk() {
        long first = allocate(1000);
        Paint.paint(memory(first, 1000), 1);
        long neighbour = block();
        allocate(1000);
        assertThat(chunkCount()).isEqualTo(2);
        assertThat(Chunk.bytes(chunks.words[0])).isEqualTo(KIB);
        assertThat(Paint.isPainted(memory(first, 1000), 1)).isTrue();
        source.space.give(neighbour, 0);
    }

    @Test
    void allocate_withinAPage_doublesAsOftenAsIsNeeded() {
        long first = allocate(1000);
        Paint.paint(memory(first, 1000), 1);
        allocate(3000);
        assertThat(chunkCount()).isEqualTo(1);
        assertThat(statistics().usedBytes()).isEqualTo(4 * KIB);
        assertThat(Paint.isPainted(memory(first, 1000), 1)).isTrue();
    }

    @Test
    void allocate_moreThanAPageHolds_takesAChunkThatFits() {
        allocate(1000);
        allocate(3500);
        assertThat(chunkCount()).isEqualTo(2);
        assertThat(Chunk.bytes(chunks.words[0])).isEqualTo(KIB);
        assertThat(statistics().usedBytes()).isEqualTo(KIB + 4 * KIB);
        allocate(9000);
        assertThat(chunkCount()).isEqualTo(3);
        assertThat(statistics().usedBytes()).isEqualTo(KIB + 4 * KIB + 16 * KIB);
    }

    /** Half way there, another owner is in the way. */
    @Test
    void allocate_doubledInVain_goesOnInAnotherChunk() {
        long first = allocate(1000);
        Paint.paint(memory(first, 1000), 1);
        int level = ChunkLevel.fitting(2 * KIB);
        long neighbour = source.space.take(level, level);
        allocate(3000);
        assertThat(chunkCount()).isEqualTo(2);
        assertThat(Chunk.bytes(chunks.words[0])).isEqualTo(2 * KIB);
        assertThat(Paint.isPainted(memory(first, 1000), 1)).isTrue();
        source.space.give(neighbour, 0);
    }

    @Test
    void allocate_slabIsFull_leavesItsSizeAlone() {
        long slab = source.chunk(Slabs.takeSlab(source));
        chunks = new ArenaChunks(source);
        chunks.begin(slab, Chunk.address(slab));
        allocate(4000);
        allocate(4000);
        assertThat(chunks.words[0]).isEqualTo(slab);
        assertThat(chunks.slab()).isEqualTo(Chunk.address(slab));
        assertThat(chunkCount()).isEqualTo(2);
    }

    @Test
    void allocate_roomInARetiredChunk_isUsed() {
        long first = allocate(600);
        long neighbour = block();
        allocate(5000); // the first chunk has 424 bytes left
        allocate(8 * KIB - 5008 - 200); // leaves less than that in the current one
        long used = statistics().usedBytes();
        long again = allocate(400);
        assertThat(again).isEqualTo(first + 608);
        assertThat(statistics().usedBytes()).isEqualTo(used);
        source.space.give(neighbour, 0);
    }

    /** Of three chunks that have room, the one that has the least. */
    @Test
    void allocate_roomInSeveralRetiredChunks_takesTheSmallest() {
        long large = allocate(4 * KIB - 1600);
        long small = allocate(8 * KIB - 400);
        long medium = allocate(16 * KIB - 800);
        allocate(64 * KIB - 2000);
        allocate(1990); // now the current one is full
        assertThat(chunkCount()).isEqualTo(4);
        assertThat(allocate(350)).isEqualTo(small + 8 * KIB - 400);
        assertThat(allocate(700)).isEqualTo(medium + 16 * KIB - 800);
        assertThat(allocate(350)).isEqualTo(large + 4 * KIB - 1600);
    }

    @Test
    void allocate_aligned_countsTheGapBefore() {
        long first = allocate(4 * KIB - 512);
        long neighbour = block();
        assertThat(allocate(16, 256)).isEqualTo(first + 4 * KIB - 512);
        long other = allocate(257, 256); // 496 are left, and 256 of them when aligned
        assertThat(other - other % (4 * KIB)).isNotEqualTo(first);
        allocate(3700); // and now that one has less room
        assertThat(allocate(240, 256)).isEqualTo(first + 4 * KIB - 256);
        source.space.give(neighbour, 0);
    }

    /** More remainders than are looked at: those of the chunks taken last are used. */
    @Test
    void allocate_manyRetiredChunks_usesTheRoomOfTheLast() {
        for (long i = 1; i <= 40; i++) {
            allocate(ROOT / 2 + 1 + i * 4 * KIB); // a root chunk each
        }
        assertThat(chunkCount()).isEqualTo(40);
        long used = statistics().usedBytes();
        for (int i = 0; i < 17; i++) { // in the last 16, and in the current one, the first of all
            allocate(ROOT / 2 - 41 * 4 * KIB);
            assertThat(statistics().usedBytes()).as("i=%d", i).isEqualTo(used);
        }
        allocate(ROOT / 2 - 41 * 4 * KIB);
        assertThat(chunkCount()).isEqualTo(41);
    }

    @Test
    void allocate_bitByBit_commitsAtMostOneStepMore() {
        long page = Providers.choose().provider().osPageSize();
        long requested = 0;
        long committed = 0;
        for (int i = 0; i < 40_000; i++) {
            long start = chunks.allocate(128, 16, false);
            assertThat(start).isNotZero();
            requested += 128;
            if (i % 16 == 0) {
                ChunkStatistics now = statistics();
                long step = Math.max(page, GrowthPolicy.commitBytes(now.usedBytes()));
                assertThat(now.usage().committedBytes() - committed)
                        .as("requested=%d", requested)
                        .isLessThanOrEqualTo(16 * 128 + 2 * page + step);
                assertThat(now.usage().committedBytes() - requested)
                        .as("requested=%d", requested)
                        .isLessThanOrEqualTo(2 * page + 2 * step);
                committed = now.usage().committedBytes();
            }
        }
        ArenaCheck.verify(chunks);
    }

    @ParameterizedTest
    @ValueSource(longs = {16, 4096, 1 << 22, 1 << 23, 1 << 30})
    void allocate_largerThanARootChunk_isAPage(long alignment) {
        long small = allocate(100);
        Paint.paint(memory(small, 100), 1);
        for (long bytes : new long[] {ROOT + 1, 3 * ROOT}) {
            long start = allocate(bytes, alignment);
            Paint.paint(memory(start, 100), 2);
            Paint.paint(memory(start + bytes - 100, 100), 3);
            assertThat(Paint.isPainted(memory(start, 100), 2)).isTrue();
        }
        assertThat(takenPages()).isEqualTo(2);
        assertThat(chunkCount()).isEqualTo(1);
        assertThat(allocate(100)).as("and the current chunk goes on").isEqualTo(small + 112);
        assertThat(Paint.isPainted(memory(small, 100), 1)).isTrue();
    }

    @Test
    void allocate_smallWithALargeAlignment_isAPage() {
        allocate(1, 1 << 30);
        assertThat(takenPages()).isEqualTo(1);
        allocate(1, ROOT);
        assertThat(takenPages()).as("a root chunk is aligned so").isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, (1L << 47) + 1, 1L << 62})
    void allocate_largerThanTheAddressSpace_isOutOfMemoryAndChangesNothing(long bytes) {
        long small = allocate(100);
        ChunkStatistics before = statistics();
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> chunks.allocate(bytes, 16, false))
                .withMessageContaining("bytes=" + bytes);
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> chunks.allocate(1, 1L << 62, false))
                .withMessageContaining("slackBytes=" + ((1L << 62) - PageSpace.GRANULE_BYTES));
        assertThat(statistics()).isEqualTo(before);
        assertThat(allocate(100)).isEqualTo(small + 112);
    }

    @Test
    void allocate_overTheLimit_changesNothing() {
        use(new MemoryLimits(ROOT, 8 * ROOT));
        long first = allocate(ROOT / 2);
        Paint.paint(memory(first, 1000), 1);
        ChunkStatistics before = statistics();
        for (long bytes : new long[] {ROOT / 2 + 1, ROOT, ROOT + 1, 20 * ROOT}) {
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> chunks.allocate(bytes, 16, false))
                    .withMessageMatching("(committed|reserved) memory must stay within .*");
            ArenaCheck.verify(chunks);
            SpaceCheck.verifyAtRest(source.space);
            assertThat(statistics().usedBytes()).isEqualTo(before.usedBytes());
            assertThat(statistics().usage().committedBytes())
                    .isEqualTo(before.usage().committedBytes());
        }
        allocate(ROOT / 4);
        assertThat(Paint.isPainted(memory(first, 1000), 1)).isTrue();
    }

    /** A slab is nothing an arena chose: what grows from one says nothing about its kind. */
    @Test
    void allocate_beginningWithASmallSlab_teachesNothing() {
        source = Slabs.source(Providers.choose().provider(), MemoryLimits.NONE, 2 * KIB);
        for (int i = 0; i < 100; i++) {
            long slab = source.chunk(Slabs.takeSlab(source));
            chunks = new ArenaChunks(source);
            chunks.begin(slab, Chunk.address(slab));
            allocate(2000);
            allocate(3000);
            chunks.giveRest();
            giveSlab();
        }
        for (int i = 0; i < 20; i++) { // none of these grows
            assertThat(source.growth.firstBytes(0, true)).isEqualTo(KIB);
        }
        chunks = new ArenaChunks(source);
    }
}
