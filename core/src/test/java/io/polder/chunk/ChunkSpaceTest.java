package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.memory.FailingMemoryProvider.Call;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

class ChunkSpaceTest extends SpaceFixture {

    @Test
    void take_eachLevel_leavesOneSplinterPerLevel() {
        for (int level = 0; level < ChunkLevel.COUNT; level++) {
            ChunkSpace space = oneRoot();
            long chunk = space.take(level, level);
            assertThat(Chunk.level(chunk)).isEqualTo(level);
            for (ChunkStatistics.Free free : space.statistics().free()) {
                boolean splinter = free.level() > 0 && free.level() <= level;
                assertThat(free.count()).isEqualTo(splinter ? 1 : 0);
            }
            SpaceCheck.verifyAtRest(space);
            space.give(chunk, 0);
            assertThat(free(space, ROOT)).isEqualTo(1);
        }
    }

    @Test
    void give_inEveryOrder_mergesToTheRoot() {
        List<List<Integer>> orders = new ArrayList<>();
        permutations(new ArrayList<>(List.of(0, 1, 2, 3, 4)), 0, orders);
        assertThat(orders).hasSize(120);
        ChunkSpace space = oneRoot();
        for (List<Integer> order : orders) {
            long[] chunks = {
                take(space, 2 * MIB),
                take(space, MIB),
                take(space, 512 * KIB),
                take(space, 256 * KIB),
                take(space, 256 * KIB)
            };
            assertThat(space.statistics().free())
                    .extracting(ChunkStatistics.Free::count)
                    .containsOnly(0);
            for (int index : order) {
                space.give(chunks[index], 0);
                SpaceCheck.verify(space);
            }
            assertThat(free(space, ROOT)).as("order=%s", order).isEqualTo(1);
        }
    }

    private static void permutations(List<Integer> items, int from, List<List<Integer>> found) {
        if (from == items.size()) {
            found.add(List.copyOf(items));
        }
        for (int i = from; i < items.size(); i++) {
            Collections.swap(items, from, i);
            permutations(items, from + 1, found);
            Collections.swap(items, from, i);
        }
    }

    @Test
    void enlarge_fromTheSmallestToTheRoot_keepsContent() {
        ChunkSpace space = space();
        long chunk = take(space, KIB);
        use(space, chunk, KIB, (byte) 42);
        long address = Chunk.address(chunk);
        for (int level = SMALLEST - 1; level >= 0; level--) {
            chunk = space.enlarge(chunk) & Chunk.MASK;
            assertThat(chunk).isEqualTo(Chunk.of(address, level));
            SpaceCheck.verify(space);
            Payload.assertPainted(address, KIB, (byte) 42);
            assertThat(space.statistics().usedBytes()).isEqualTo(ChunkLevel.bytes(level));
            assertThat(space.statistics().usage().committedBytes()).isEqualTo(page);
        }
        Payload.assertZero(address + KIB, ROOT - KIB);
        assertThat(space.enlarge(chunk)).isEqualTo(Chunk.NONE);
        space.give(chunk, KIB);
    }

    @Test
    void enlarge_followerOrTakenBuddyOrSplitBuddy_isRefused() {
        ChunkSpace space = oneRoot();
        long leader = take(space, MIB);
        long follower = take(space, MIB);
        assertThat(space.enlarge(follower)).isEqualTo(Chunk.NONE);
        assertThat(space.enlarge(leader)).isEqualTo(Chunk.NONE);
        space.give(follower, 0);
        long splinter = take(space, 512 * KIB);
        assertThat(space.enlarge(leader)).isEqualTo(Chunk.NONE);
        space.give(splinter, 0);
        long enlarged = space.enlarge(leader) & Chunk.MASK;
        assertThat(Chunk.bytes(enlarged)).isEqualTo(2 * MIB);
        space.give(enlarged, 0);
    }

    @Test
    void give_whatWasWritten_readsAsZeroAgain() {
        ChunkSpace space = oneRoot();
        long[] used = {0, 1, 63, KIB, page, page + 1, 100 * KIB, 256 * KIB, MIB + 1, ROOT};
        for (long bytes : used) {
            long chunk = space.take(level(Math.max(bytes, 1)), SMALLEST);
            use(space, chunk, bytes, (byte) -1);
            space.give(chunk, bytes);
            long root = take(space, ROOT);
            Payload.assertZero(root);
            space.give(root, 0);
        }
    }

    @Test
    void take_memoryFirst() {
        ChunkSpace space = oneRoot();
        long[] quarters = {
            take(space, MIB), take(space, MIB), take(space, MIB), take(space, MIB),
        };
        space.commit(quarters[2], 0, 1);
        space.give(quarters[0], 0);
        space.give(quarters[2], 0);
        assertThat(take(space, MIB)).as("warm before cold").isEqualTo(quarters[2]);
        assertThat(take(space, MIB)).isEqualTo(quarters[0]);
        for (long quarter : quarters) {
            space.give(quarter, 0);
        }
    }

    @Test
    void take_ofALargerWarmChunk_isThePieceWithMemory() {
        ChunkSpace space = oneRoot();
        long root = take(space, ROOT);
        space.commit(root, 3 * MIB, 3 * MIB + 1);
        space.give(root, 0);
        long piece = take(space, 64 * KIB);
        assertThat(Chunk.address(piece)).isEqualTo(Chunk.address(root) + 3 * MIB);
        SpaceCheck.verify(space);
        space.give(piece, 0);
    }

    @Test
    void take_smallerWithMemory_beforeLargerWithout() {
        ChunkSpace space = oneRoot();
        long warm = take(space, 64 * KIB);
        long buddy = take(space, 64 * KIB);
        space.commit(warm, 0, 1);
        space.give(warm, 0);
        long found = space.take(level(256 * KIB), level(16 * KIB));
        assertThat(found).isEqualTo(warm);
        long large = space.take(level(256 * KIB), level(128 * KIB));
        assertThat(Chunk.bytes(large)).isEqualTo(256 * KIB);
        for (long chunk : new long[] {found, buddy, large}) {
            space.give(chunk, 0);
        }
    }

    @Test
    void commit_sharedPage_warmsItsOtherChunks() {
        ChunkSpace space = oneRoot();
        long first = take(space, KIB);
        assertThat(space.commit(first, 0, KIB)).isEqualTo(KIB);
        assertThat(space.statistics().usage().committedBytes()).isEqualTo(page);
        assertThat(
                        space.statistics().free().stream()
                                .mapToLong(ChunkStatistics.Free::committedBytes)
                                .sum())
                .isEqualTo(page - KIB);
        SpaceCheck.verify(space);
        long second = take(space, KIB);
        assertThat(Chunk.address(second)).isEqualTo(Chunk.address(first) + KIB);
        space.commit(second, 0, KIB);
        assertThat(space.statistics().usage().committedBytes()).isEqualTo(page);
        space.give(first, KIB);
        assertThat(space.trim()).as("the page is still in use").isZero();
        space.give(second, KIB);
        assertThat(space.trim()).isEqualTo(page);
    }

    @Test
    void commit_saysHowFarTheChunkIsCommitted() {
        ChunkSpace space = oneRoot();
        long chunk = take(space, ROOT);
        assertThat(space.commit(chunk, 0, 1)).isEqualTo(page);
        space.commit(chunk, 2 * page, 4 * page);
        assertThat(space.commit(chunk, 0, page)).isEqualTo(page);
        assertThat(space.commit(chunk, page, page + 1)).isEqualTo(4 * page);
        assertThat(space.commit(chunk, 0, ROOT)).isEqualTo(ROOT);
        assertThat(space.statistics().usage().committedTotalBytes()).isEqualTo(ROOT);
        space.give(chunk, 0);
    }

    @Test
    void isFree_answersForAnyRange() {
        ChunkSpace space = oneRoot();
        long first = take(space, 64 * KIB);
        long base = Chunk.address(first);
        assertThat(SpaceCheck.isFree(space, base, 1)).isFalse();
        assertThat(SpaceCheck.isFree(space, base + 64 * KIB, ROOT - 64 * KIB)).isTrue();
        assertThat(SpaceCheck.isFree(space, base + 64 * KIB - 1, 2)).isFalse();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SpaceCheck.isFree(space, base, ROOT + 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SpaceCheck.isFree(space, base - ROOT, 1))
                .withMessageContaining("must belong to the space");
        space.give(first, 0);
        assertThat(SpaceCheck.isFree(space, base, ROOT)).isTrue();
    }

    @Test
    void give_everySecondFirst_endsInOneRoot() {
        ChunkSpace space = oneRoot();
        List<Long> chunks = new ArrayList<>();
        for (int i = 0; i < ROOT / KIB; i++) {
            long chunk = take(space, KIB);
            use(space, chunk, KIB, (byte) 7);
            chunks.add(chunk);
        }
        assertThat(space.statistics().free())
                .extracting(ChunkStatistics.Free::count)
                .containsOnly(0);
        for (int i = 0; i < chunks.size(); i += 2) {
            space.give(chunks.get(i), KIB);
        }
        SpaceCheck.verify(space);
        assertThat(free(space, KIB)).isEqualTo(chunks.size() / 2);
        assertThat(space.trim()).as("no whole page is free").isZero();
        for (int i = 1; i < chunks.size(); i += 2) {
            space.give(chunks.get(i), KIB);
        }
        assertThat(free(space, ROOT)).isEqualTo(1);
        assertThat(space.trim()).isEqualTo(ROOT);
    }

    @Test
    void metadata_ofARoot_isAtMostTwoThousandths() {
        ChunkSpace space = oneRoot();
        long chunk = take(space, KIB);
        long bytes = RootCheck.sizeBytes(space.state.roots.known(0));
        assertThat(bytes).isBetween(3 * KIB, ROOT * 2 / 1000);
        space.give(chunk, 0);
    }

    @Test
    void roots_areReservedInGrowingPieces() {
        ChunkSpace space = space();
        List<Long> chunks = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            chunks.add(take(space, ROOT));
        }
        assertThat(provider.calls(Call.RESERVE)).isEqualTo(3);
        assertThat(space.statistics().usage().reservedBytes()).isEqualTo((64 + 128 + 256) * MIB);
        assertThat(space.state.roots.bySlot).hasSize(128);
        assertThat(Arrays.copyOf(space.state.roots.bySlot, 100)).doesNotContainNull();
        assertThat(space.statistics().usage().committedBytes()).isZero();
        SpaceCheck.verify(space);
        chunks.forEach(chunk -> space.give(chunk, 0));
    }

    @Test
    void misuse_isRefused() {
        ChunkSpace space = oneRoot();
        long chunk = take(space, 4 * KIB);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> space.give(chunk, 4 * KIB + 1))
                .withMessageContaining("usedBytes=4097");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> space.give(Chunk.of(Chunk.address(chunk), SMALLEST), 0))
                .withMessageContaining("must be taken");
        space.give(chunk, 0);
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> space.give(chunk, 0));
    }

    @Test
    void close_withSomethingTaken_isRefused() {
        ChunkSpace space = oneRoot();
        long chunk = take(space, 4 * KIB);
        assertThatIllegalStateException()
                .isThrownBy(space::close)
                .withMessageContaining("usedBytes=4096");
        space.give(chunk, 0);
        space.close();
        assertThatIllegalStateException().isThrownBy(() -> take(space, KIB));
        space.close();
    }
}
