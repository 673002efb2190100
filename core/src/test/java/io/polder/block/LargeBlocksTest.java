package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** What is kept of large blocks: for the same size, so much, and not for long. */
class LargeBlocksTest extends BlockFixture {
    private static final int ROUNDS = 200;

    /** As many as there is room for, of a size drawn at random, beside others that stay. */
    @Test
    void free_asManyAsThereIsRoomFor_areWhatTheNextOfThatSizeGet() {
        long seed = Seed.get();
        Seed.naming(seed, () -> useAgain(space(), new SplittableRandom(seed)));
    }

    private static void useAgain(BlockSpace space, SplittableRandom random) {
        List<Long> others = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            long granules = random.nextInt(1, EmptySpans.LARGEST_GRANULES + 1);
            int most = EmptySpans.KEPT_GRANULES_MAX / (int) granules;
            int count = random.nextInt(1, most + 1);
            List<Long> blocks = allocate(space, count, granules, random);
            if (random.nextInt(4) == 0) {
                others.add(blocks.removeLast());
            }
            long _ = space.trim(); // so that none is kept from before
            blocks.forEach(space::free);
            List<Long> again = allocate(space, blocks.size(), granules, random);
            assertThat(again).containsExactlyInAnyOrderElementsOf(blocks);
            again.forEach(space::free);
        }
        others.forEach(space::free);
    }

    /** Their sizes differ, and all have so many granules. */
    private static List<Long> allocate(
            BlockSpace space, int count, long granules, SplittableRandom random) {
        List<Long> blocks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long most = granules * PageSpace.GRANULE_BYTES;
            long least = Math.max(SizeClass.BYTES_MAX, most - PageSpace.GRANULE_BYTES) + 1;
            long block = space.allocate(random.nextLong(least, most + 1));
            assertThat(space.usableSize(block)).isEqualTo(most);
            blocks.add(block);
        }
        return blocks;
    }

    /** However many are freed, of whatever sizes, so much is kept at most, and until two ticks. */
    @Test
    void free_many_keepsSoMuchAtMost() {
        long seed = Seed.get();
        Seed.naming(seed, () -> freeMany(space(), new SplittableRandom(seed)));
    }

    private void freeMany(BlockSpace space, SplittableRandom random) {
        List<Long> blocks = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            long granules = random.nextInt(1, EmptySpans.LARGEST_GRANULES + 3);
            blocks.addAll(allocate(space, 1, granules, random));
        }
        blocks.forEach(space::free);
        long most = EmptySpans.KEPT_GRANULES_MAX * PageSpace.GRANULE_BYTES;
        assertThat(takenBytes(space)).isBetween(1L, most);
        while (space.tick()) {
            assertThat(takenBytes(space)).isPositive();
        }
        assertThat(takenBytes(space)).isZero();
    }

    /** What one thread has freed serves the others, whoever they are. */
    @Test
    void freed_byManyThreads_asManyAreKeptAsByOne() throws Exception {
        BlockSpace space = space();
        List<Long> blocks = new ArrayList<>();
        int kept = EmptySpans.KEPT_GRANULES_MAX;
        for (int i = 0; i < 4 * kept; i++) {
            blocks.add(space.allocate(2 * MIB));
        }
        for (int part = 0; part < 4; part++) {
            int from = part * kept;
            List<Long> its = blocks.subList(from, from + kept);
            Thread thread = Thread.ofPlatform().start(() -> its.forEach(space::free));
            thread.join();
        }
        assertThat(takenBytes(space)).isEqualTo(kept * PageSpace.GRANULE_BYTES);
    }

    /** As blocks of freeing arenas are, each of which is freed before the next. */
    @Test
    void allocate_zeroedAgainAndAgain_getsWhatIsKept() {
        BlockSpace space = space();
        for (int round = 0; round < 10; round++) {
            long block = space.allocate(2 * MIB, 16, true);
            assertThat(filledWith(block, 2 * MIB, (byte) 0)).isTrue();
            ADDRESS_SPACE.asSlice(block, 2 * MIB).fill((byte) 1);
            space.free(block);
        }
        assertThat(takenBytes(space)).isEqualTo(PageSpace.GRANULE_BYTES);
    }

    private long takenBytes(BlockSpace space) {
        return parts(space).pages().statistics().takenBytes();
    }
}
