package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.polder.arena.OtherThread;
import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
import io.polder.chunk.ChunkSpace;
import io.polder.memory.MemoryLimits;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Blocks that grow and shrink, where they are or by moving. */
class ReallocationTest extends BlockFixture {
    /** A thread that grows a block where it is frees another one, which is the last of its span. */
    @Test
    void reallocate_inPlaceWhenNothingTicks_nextFreeTells() {
        BlockSpace space = space();
        long small = space.allocate(100);
        long grows = space.reallocate(space.allocate(70_000), 140_000);
        while (space.tick()) {
            Thread.onSpinWait();
        }
        told.set(0);
        assertThat(space.reallocate(grows, 150_000)).isEqualTo(grows);
        space.free(small);
        assertThat(told.get()).as("the span of what was freed is to go").isPositive();
        space.free(grows);
    }

    @Test
    void reallocate_grownAndShrunk_keepsTheContent() {
        BlockSpace space = space();
        long block = space.reallocate(0, 10);
        long bytes = 10;
        ADDRESS_SPACE.asSlice(block, bytes).fill((byte) 3);
        while (bytes < 5 * MIB) {
            long more = bytes + bytes / 2;
            block = space.reallocate(block, more);
            assertThat(filledWith(block, bytes, (byte) 3)).isTrue();
            ADDRESS_SPACE.asSlice(block, more).fill((byte) 3);
            bytes = more;
        }
        while (bytes > 20) {
            bytes /= 3;
            block = space.reallocate(block, bytes);
            assertThat(filledWith(block, bytes, (byte) 3)).isTrue();
        }
        space.free(block);
    }

    @Test
    void reallocate_largeWithFreeMemoryBehind_growsInPlaceAndHidesWhatOthersWrote() {
        BlockSpace space = space();
        PageSpace pages = parts(space).pages();
        Extent before = pages.take(40 * MIB, true);
        ADDRESS_SPACE.asSlice(before.address(), 40 * MIB).fill((byte) 1);
        pages.give(before, before.bytes());
        long block = space.allocate(3 * MIB);
        ADDRESS_SPACE.asSlice(block, 3 * MIB).fill((byte) 2);

        for (long bytes = 5 * MIB; bytes <= 33 * MIB; bytes += 7 * MIB) {
            long size = space.usableSize(block);
            assertThat(space.reallocate(block, bytes)).isEqualTo(block);

            assertThat(space.usableSize(block)).isBetween(bytes, bytes + 2 * MIB);
            assertThat(ADDRESS_SPACE.get(JAVA_BYTE, block + 3 * MIB - 1)).isEqualTo((byte) 2);
            long added = space.usableSize(block) - size;
            assertThat(ADDRESS_SPACE.asSlice(block + size, added).toArray(JAVA_BYTE))
                    .containsOnly((byte) 0);
        }
        space.free(block);
    }

    @Test
    void reallocate_withASpanToItself_growsInPlaceWithinItsChunk() {
        BlockSpace space = space();
        long block = space.allocate(70_000);
        long size = space.usableSize(block);
        ADDRESS_SPACE.asSlice(block, size).fill((byte) 2);

        for (long bytes = 80_000; bytes <= 128 << 10; bytes += 10_000) {
            assertThat(space.reallocate(block, bytes)).isEqualTo(block);
            assertThat(space.usableSize(block)).isBetween(bytes, bytes + bytes / 8);
        }
        assertThat(filledWith(block, size, (byte) 2)).isTrue();
        long moved = space.reallocate(block, 140_000);
        assertThat(moved).isNotEqualTo(block);
        assertThat(filledWith(moved, size, (byte) 2)).isTrue();
        space.free(moved);
        assertThatIllegalArgumentException().isThrownBy(() -> space.free(moved));
    }

    @Test
    void reallocate_beyondItsChunk_hasRoomFromThenOn() {
        BlockSpace space = space();
        long block = space.reallocate(space.allocate(70_000), 140_000);
        ADDRESS_SPACE.asSlice(block, 140_000).fill((byte) 2);
        assertThat(committedBytes(space)).isLessThan(MIB / 2); // the room is addresses

        for (long bytes = 200_000; bytes <= 4 * MIB; bytes += 100_000) {
            assertThat(space.reallocate(block, bytes)).isEqualTo(block);
            assertThat(space.usableSize(block)).isBetween(bytes, bytes + bytes / 8);
        }
        assertThat(filledWith(block, 140_000, (byte) 2)).isTrue();
        block = space.reallocate(block, 5 * MIB);
        assertThat(filledWith(block, 140_000, (byte) 2)).isTrue();
        space.free(block);
    }

    /** Whoever frees it: the next block gets what it asks for, and not the memory of that one. */
    @Test
    void free_grownBeyondAnyClass_leavesItsOwner() throws Exception {
        BlockSpace space = space();
        for (boolean byAnother : new boolean[] {false, true}) {
            long block = space.reallocate(space.allocate(140_000), 300_000);
            long grown = space.reallocate(block, 3 * MIB);
            assertThat(grown).isEqualTo(block);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> space.free(grown + 2 * MIB))
                    .withMessageContaining("it is inside of a block");
            if (byAnother) {
                Thread.ofPlatform().start(() -> space.free(grown)).join();
            } else {
                space.free(grown);
            }

            long next = space.allocate(MIB);

            assertThat(space.usableSize(next)).isEqualTo(MIB);
            space.free(next);
        }
    }

    /** What the block before had used of the room goes with a tick, also if this one grows. */
    @Test
    void reallocate_beyondItsChunk_keepsTheRoomOfAnotherUntilATick() {
        BlockSpace space = space();
        long before = space.reallocate(space.allocate(140_000), 300_000);
        before = space.reallocate(before, MIB);
        space.free(before);
        long block = space.reallocate(space.allocate(140_000), 300_000);
        assertThat(block).isEqualTo(before);
        assertThat(space.reallocate(block, 350_000)).isEqualTo(block);
        assertThat(committedBytes(space)).isGreaterThanOrEqualTo(MIB);

        long decayed = parts(space).chunks().decay();

        assertThat(decayed > 0).isEqualTo(provider.canUncommit());
        assertThat(committedBytes(space) < MIB).isEqualTo(provider.canUncommit());
        assertThat(space.reallocate(block, MIB)).isEqualTo(block);
        space.free(block);
    }

    /** Nor what others had there, be it as they left it or clean. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void reallocate_beyondItsChunk_keepsNothingThatOthersLeftThere(boolean dirty) {
        BlockSpace space = space();
        ChunkSpace chunks = parts(space).chunks();
        long block = space.allocate(140_000);
        long root = chunks.take(ChunkLevel.ROOT, ChunkLevel.ROOT);
        assertThat(chunks.commit(root, 0, 4 * MIB)).isEqualTo(4 * MIB);
        chunks.giveAsIs(root, dirty ? 4 * MIB : 0, 4 * MIB, false);

        block = space.reallocate(block, 300_000);

        assertThat(block).isEqualTo(Chunk.address(root));
        long decayed = chunks.decay();
        assertThat(decayed > 0).isEqualTo(provider.canUncommit());
        assertThat(committedBytes(space) < MIB).isEqualTo(provider.canUncommit());
        space.free(block);
    }

    @Test
    void reallocate_beyondItsChunkWhereAddressesAreLimited_hasNoRoom() {
        long addresses = 32 * MIB;
        BlockSpace space = space(new MemoryLimits(MemoryLimits.ADDRESS_SPACE_BYTES, addresses));
        List<Long> blocks = new ArrayList<>();
        for (int i = 0; i < 64; i++) { // with room, half of them would do
            blocks.add(space.reallocate(space.allocate(70_000), 140_000));
        }
        blocks.forEach(space::free);
    }

    @Test
    void reallocate_ofAnotherThreadsBlockWithASpanToItself_movesIt() {
        BlockSpace space = space();
        long block = OtherThread.platform(() -> space.allocate(70_000));
        ADDRESS_SPACE.asSlice(block, 70_000).fill((byte) 2);

        long moved = space.reallocate(block, 100_000);

        assertThat(moved).isNotEqualTo(block);
        assertThat(filledWith(moved, 70_000, (byte) 2)).isTrue();
        space.free(moved);
    }

    /** These share what they allocate from; so it does not matter which of them has the block. */
    @Test
    void reallocate_ofAVirtualThreadsBlockWithASpanToItself_growsInPlace() {
        BlockSpace space = space();
        long block = OtherThread.virtual(() -> space.allocate(70_000));
        ADDRESS_SPACE.asSlice(block, 70_000).fill((byte) 2);

        assertThat(OtherThread.virtual(() -> space.reallocate(block, 100_000))).isEqualTo(block);
        assertThat(space.usableSize(block)).isBetween(100_000L, 112_500L);
        long moved = OtherThread.virtual(() -> space.reallocate(block, 140_000));
        assertThat(moved).isNotEqualTo(block);
        for (long bytes = 200_000; bytes <= 4 * MIB; bytes += bytes / 4) {
            long more = bytes;
            assertThat(OtherThread.virtual(() -> space.reallocate(moved, more))).isEqualTo(moved);
            BlockCheck.verifyAtRest(space);
        }
        assertThat(filledWith(moved, 70_000, (byte) 2)).isTrue();
        space.free(moved);
    }

    @Test
    void reallocate_withASpanToItselfWhereALimitIsInTheWay_leavesItAsItWas() {
        BlockSpace space = space(4 * MIB);
        long block = space.allocate(MIB / 2 + 1);
        long size = space.usableSize(block);
        ADDRESS_SPACE.asSlice(block, size).fill((byte) 2);
        List<Long> others = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            others.add(space.allocate(MIB));
        }
        others.add(space.allocate(60_000));

        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> space.reallocate(block, MIB));

        assertThat(space.usableSize(block)).isEqualTo(size);
        assertThat(filledWith(block, size, (byte) 2)).isTrue();
        others.forEach(space::free);
        assertThat(space.reallocate(block, MIB)).isEqualTo(block);
        assertThat(filledWith(block, size, (byte) 2)).isTrue();
        space.free(block);
    }

    @Test
    void reallocate_withASpanToItselfOfAClosedPool_isRefused() {
        BlockSpace space = space();
        long block = space.allocate(70_000);
        long size = space.usableSize(block);
        space.close();

        assertThatIllegalStateException().isThrownBy(() -> space.reallocate(block, 100_000));

        assertThat(space.usableSize(block)).isEqualTo(size);
        space.free(block);
    }

    @Test
    void reallocate_largeBeyondTheLimit_takesNothingBehindIt() {
        BlockSpace space = space(64 * MIB);
        space.free(space.allocate(40 * MIB));
        long block = space.allocate(10 * MIB);
        long size = space.usableSize(block);

        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> space.reallocate(block, 70 * MIB));

        assertThat(space.usableSize(block)).isEqualTo(size);
        space.free(space.allocate(50 * MIB));
        space.free(block);
    }

    @Test
    void reallocate_largeWhereFreeMemoryFillsTheLimit_growsInPlaceQuietly() {
        BlockSpace space = space(64 * MIB);
        long block = space.allocate(24 * MIB);
        space.free(space.allocate(24 * MIB));

        assertThat(space.reallocate(block, 44 * MIB)).isEqualTo(block);

        assertThat(refused.get()).isZero();
        space.free(block);
    }

    /** What a thread keeps empty is given back for who is refused, and may do in place. */
    @Test
    void reallocate_largeWhereWhatThreadsKeepFillsTheLimit_grows() {
        BlockSpace space = space(64 * MIB);
        List<Long> kept = new ArrayList<>();
        for (int sizeClass = SizeClass.of(72 * KIB); sizeClass < SizeClass.COUNT; sizeClass++) {
            kept.add(space.allocate(SizeClass.bytes(sizeClass)));
        }
        kept.forEach(space::free);
        long block = space.allocate(48 * MIB);

        block = space.reallocate(block, 62 * MIB);

        assertThat(space.usableSize(block)).isEqualTo(62 * MIB);
        space.free(block);
    }

    @Test
    void reallocate_largeWithAnotherBehind_movesWithItsContent() {
        BlockSpace space = space();
        long block = space.allocate(3 * MIB);
        ADDRESS_SPACE.asSlice(block, 3 * MIB).fill((byte) 2);
        long grown = space.reallocate(block, 16L << 30);

        assertThat(grown).isNotEqualTo(block);
        assertThat(ADDRESS_SPACE.get(JAVA_BYTE, grown + 3 * MIB - 1)).isEqualTo((byte) 2);
        space.free(grown);
    }

    @Test
    void reallocate_thatFits_staysInPlace() {
        BlockSpace space = space();
        long block = space.allocate(1000);
        assertThat(space.reallocate(block, 1024)).isEqualTo(block);
        assertThat(space.reallocate(block, 513)).isEqualTo(block);
        assertThat(space.reallocate(block, 100)).isNotEqualTo(block);
        space.free(space.allocate(1000));
        long small = space.reallocate(0, 1);
        space.free(small);
        // The block of 100 bytes is the only one that is left.
        freeAllOf(space);
    }

    /** Frees whatever is used, of sizes up to an OS page. */
    private static void freeAllOf(BlockSpace space) {
        for (Span span : space.map.spans()) {
            Set<Long> free = new HashSet<>();
            for (long at = span.head;
                    at != 0;
                    at = ADDRESS_SPACE.get(io.polder.memory.Zeroing.WORD, at)) {
                free.add(at);
            }
            for (long at = span.base;
                    at < span.base + span.carvedBytes;
                    at += Math.max(1, span.blockBytes)) {
                if (!free.contains(at)) {
                    space.free(at);
                }
            }
        }
    }
}
