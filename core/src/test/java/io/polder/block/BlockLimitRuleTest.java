package io.polder.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.polder.arena.Seed;
import io.polder.arena.TestScale;
import io.polder.gate.ScriptedThread;
import io.polder.memory.Errno;
import io.polder.memory.FailingMemoryProvider.Call;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Blocks that were used for something else are granted as many as fresh ones under a limit, but for
 * where what lives lies.
 */
class BlockLimitRuleTest extends BlockFixture {
    private static final int ROUNDS = TestScale.of(25, 250);

    /** What owners may hold that they never asked for, as a part of the limit. */
    private static final int SHARE = 16;

    /** A load ends there: with small blocks it would last. */
    private static final int MOST = 20_000;

    private static long size(SplittableRandom random) {
        long bytes = 1L << random.nextInt(4, 23);
        return bytes + random.nextLong(bytes);
    }

    private static List<Long> fill(BlockSpace space, long bytes) {
        List<Long> blocks = new ArrayList<>();
        try {
            while (blocks.size() < MOST) {
                blocks.add(space.allocate(bytes));
            }
        } catch (OutOfMemoryError full) {
            return blocks;
        }
        return blocks;
    }

    @Test
    void fill_afterOtherSizes_asManyAsInAFreshSpace() {
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        Seed.naming(
                seed,
                () -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        oneRound(random);
                    }
                });
    }

    private void oneRound(SplittableRandom random) {
        long limit = MIB * random.nextInt(4, 80);
        BlockSpace used = space(limit);
        BlockSpace fresh = space(limit);
        String loads = "limit=" + limit + ", loads=";
        for (int loadsBefore = random.nextInt(1, 4); loadsBefore > 0; loadsBefore--) {
            long bytes = size(random);
            loads += bytes + ", ";
            List<Long> before = fill(used, bytes);
            before.forEach(used::free);
            if (random.nextInt(4) == 0) {
                boolean _ = used.tick();
            }
        }
        long bytes = size(random);
        List<Long> wanted = fill(fresh, bytes);
        List<Long> granted = fill(used, bytes);
        long slack = limit / SHARE / bytes + 1;
        assertThat((long) granted.size())
                .as("%s then %d", loads, bytes)
                .isGreaterThanOrEqualTo(wanted.size() - slack);
        int left = random.nextInt(Math.max(1, Math.min(granted.size(), wanted.size())));
        leave(used, granted, left);
        leave(fresh, wanted, left);
        assertThat(committedBytes(used))
                .as("%s then %d, of which %d are left", loads, bytes, left)
                .isLessThanOrEqualTo(committedBytes(fresh) + limit / SHARE);
        leave(used, granted, 0);
        leave(fresh, wanted, 0);
    }

    /** Frees all but the first ones, and trims. */
    private void leave(BlockSpace space, List<Long> blocks, int left) {
        while (blocks.size() > left) {
            space.free(blocks.removeLast());
        }
        trim(parts(space));
    }

    @Test
    void trim_spansOfAnotherSize_keepNoMoreThanTheirBlocks() {
        BlockSpace space = space();
        fill(space, MIB, 20).forEach(space::free);
        List<Long> blocks = fill(space, 520 * KIB, 20);
        trim(parts(space));
        assertThat(committedBytes(space)).isLessThanOrEqualTo(20 * 576 * KIB);
        blocks.forEach(space::free);
    }

    private static List<Long> fill(BlockSpace space, long bytes, int count) {
        List<Long> blocks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            blocks.add(space.allocate(bytes));
        }
        return blocks;
    }

    /** A thread that wants less, or more than is needed, is not refused and tells of nothing. */
    @Test
    void reallocate_fullSpace_shrinksInPlaceAndGrowsQuietly() {
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        Seed.naming(
                seed,
                () -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        resize(random, space(16 * MIB));
                        growLarge(random);
                    }
                });
    }

    private void resize(SplittableRandom random, BlockSpace space) {
        long bytes = KIB + random.nextLong(MIB - KIB);
        List<Long> blocks = fill(space, bytes);
        blocks.addAll(fill(space, 16));
        int before = refused.get();
        long block = blocks.removeFirst();
        long shrunk = space.reallocate(block, random.nextLong(bytes / 2));
        assertThat(refused.get()).isEqualTo(before);
        blocks.add(shrunk);
        BlockCheck.verifyAtRest(space);
        blocks.forEach(space::free);
    }

    /** There is room for what is asked for, and not for an eighth more. */
    private void growLarge(SplittableRandom random) {
        long granules = random.nextLong(8, 16);
        BlockSpace space = space((granules + 1) * 2 * MIB);
        long block = space.allocate(2 * MIB);
        int before = refused.get();
        long grown = space.reallocate(block, granules * 2 * MIB);
        assertThat(space.usableSize(grown)).isEqualTo(granules * 2 * MIB);
        assertThat(refused.get()).isEqualTo(before);
        space.free(grown);
    }

    @Test
    void free_insideOfALargeBlock_isSaid() {
        BlockSpace space = space();
        long block = space.allocate(6 * MIB);
        for (long offset : new long[] {1, 16, 64 * KIB, MIB, 2 * MIB, 6 * MIB - 1}) {
            assertThat(space.contains(block + offset)).isTrue();
            assertThat(catchThrowable(() -> space.free(block + offset)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("inside of a block: block=0x" + Long.toHexString(block));
        }
        space.free(block);
    }

    /** A space of which only empty spans of 1 MiB are left, and no addresses beside them. */
    private BlockSpace withLargeEmptySpans() {
        BlockSpace space = space();
        List<Long> blocks = fill(space, MIB, 1);
        provider.failAlways(Call.RESERVE, Errno.ENOMEM);
        blocks.addAll(fill(space, MIB));
        blocks.forEach(space::free);
        return space;
    }

    @Test
    void allocate_onlyLargeSpansAreEmpty_bindsNoMoreThanItsOwn() {
        BlockSpace space = withLargeEmptySpans();
        for (long bytes : new long[] {16, 8 * KIB, 100 * KIB}) {
            for (long block : fill(space, bytes, 20)) {
                long most = Math.max(SpanMap.UNIT_BYTES, 2 * bytes);
                assertThat(space.map.find(block).coveredBytes()).isLessThanOrEqualTo(most);
                space.free(block);
            }
        }
    }

    /** Others free more of them at a time than a span of the usual size has. */
    @Test
    void free_smallBlocksWhereLargeSpansWereEmpty_areFree() {
        BlockSpace space = withLargeEmptySpans();
        List<Long> blocks = fill(space, 16, 40_000);
        try (ScriptedThread other = ScriptedThread.platform()) {
            other.run(() -> blocks.forEach(space::free));
        }
        assertThat(space.sizes().stream().mapToLong(SizeTotals::usedCount).sum()).isZero();
    }
}
