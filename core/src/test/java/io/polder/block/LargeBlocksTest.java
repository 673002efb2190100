package io.polder.block;

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

    /** As many as have places, of a size drawn at random, beside others that stay. */
    @Test
    void free_asManyAsHavePlaces_areWhatTheNextOfThatSizeGet() {
        long seed = Seed.get();
        Seed.naming(seed, () -> useAgain(space(), new SplittableRandom(seed)));
    }

    private static void useAgain(BlockSpace space, SplittableRandom random) {
        List<Long> others = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            long granules = random.nextInt(1, LargeBlocks.KEPT_GRANULES_MAX + 1);
            int count = random.nextInt(1, LargeBlocks.PLACES / (int) granules + 1);
            List<Long> blocks = allocate(space, count, granules, random);
            if (random.nextInt(4) == 0) {
                others.add(blocks.removeLast());
            }
            int _ = space.trim(); // so that none is kept from before
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
            long granules = random.nextInt(1, LargeBlocks.KEPT_GRANULES_MAX + 3);
            blocks.addAll(allocate(space, 1, granules, random));
        }
        blocks.forEach(space::free);
        long most = 0;
        for (int place = 1; place <= LargeBlocks.PLACES; place++) {
            most += Math.min(LargeBlocks.KEPT_GRANULES_MAX, LargeBlocks.PLACES / place);
        }
        assertThat(takenBytes(space)).isBetween(1L, most * PageSpace.GRANULE_BYTES);
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
        for (int i = 0; i < 4 * LargeBlocks.PLACES; i++) {
            blocks.add(space.allocate(2 * MIB));
        }
        for (int part = 0; part < 4; part++) {
            int from = part * LargeBlocks.PLACES;
            List<Long> its = blocks.subList(from, from + LargeBlocks.PLACES);
            Thread thread = Thread.ofPlatform().start(() -> its.forEach(space::free));
            thread.join();
        }
        assertThat(takenBytes(space)).isEqualTo(LargeBlocks.PLACES * PageSpace.GRANULE_BYTES);
    }

    private long takenBytes(BlockSpace space) {
        return parts(space).pages().statistics().takenBytes();
    }
}
