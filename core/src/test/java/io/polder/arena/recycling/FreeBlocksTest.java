package io.polder.arena.recycling;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Free blocks by size: best fit, drained in order, against a sorted map; no memory is touched. */
class FreeBlocksTest {
    private static final long GRAIN = BlockTable.GRAIN_BYTES;

    private final BlockTable blocks = new BlockTable();
    private final FreeBlocks free = new FreeBlocks(blocks);
    private long top = 1 << 20;

    @Test
    void bestFit_empty_isNone() {
        assertThat(free.bestFit(GRAIN, 1)).isEqualTo(BlockTable.NONE);
        assertThat(free.bestFit(1 << 20, 4096)).isEqualTo(BlockTable.NONE);
        free.verify();
    }

    @Test
    void bestFit_oneOfAnySize_isFoundIfLargeEnough() {
        for (long size = GRAIN; size <= 2 * FreeBlocks.BIN_BYTES_MAX; size += GRAIN) {
            int block = add(size);
            for (long wanted = GRAIN; wanted <= size + 3 * GRAIN; wanted += GRAIN) {
                assertThat(free.bestFit(wanted, 1))
                        .isEqualTo(wanted <= size ? block : BlockTable.NONE);
            }
            free.remove(block);
            free.verify();
        }
    }

    @Test
    void bestFit_equalBlocks_isTheLastFreedOfABin() {
        add(64);
        int last = add(64);
        assertThat(free.bestFit(64, 1)).isEqualTo(last);
    }

    @Test
    void bestFit_equalLargeBlocks_isTheLowest() {
        int lowest = add(1 << 14);
        add(1 << 14);
        add(1 << 14);
        assertThat(free.bestFit(1 << 14, 1)).isEqualTo(lowest);
    }

    @Test
    void remove_upwardsDownwardsOrMixed_drainsInOrder() {
        for (int step : new int[] {1, 499, 7}) {
            for (int i = 0; i < 500; i++) {
                add((1 + (long) i * step % 500) * GRAIN);
            }
            free.verify();
            long previous = 0;
            for (int count = 500; count > 0; count--) {
                assertThat(free.count()).isEqualTo(count);
                int block = free.bestFit(GRAIN, 1);
                assertThat(blocks.size(block)).isGreaterThan(previous);
                previous = blocks.size(block);
                free.remove(block);
            }
            assertThat(free.bytes()).isZero();
            free.verify();
        }
    }

    @Test
    void add_manyLargeInOrder_keepsTheTreeShallow() {
        FreeTree tree = new FreeTree(blocks);
        for (int i = 0; i < 1 << 16; i++) {
            blocks.makeRoom(1);
            int block = blocks.addNew(top, (1025 + (long) i) * GRAIN);
            blocks.set(block, blocks.extent(block), BlockTable.FREE);
            top += 1 << 24;
            tree.add(block);
        }
        // A random tree of n is about 2 ln n deep on average, and hardly ever twice that.
        assertThat(depth(tree.root())).isLessThan(2 * 2 * 12);
    }

    private int depth(int tree) {
        return tree == BlockTable.NONE
                ? 0
                : 1 + Math.max(depth(blocks.first(tree)), depth(blocks.second(tree)));
    }

    @Test
    void random_addRemoveAndFind_agreesWithASortedMap() {
        long seed = Seed.get();
        Seed.naming(seed, () -> compareWithMap(new SplittableRandom(seed)));
    }

    private void compareWithMap(SplittableRandom random) {
        TreeMap<Long, Integer> bySize = new TreeMap<>();
        List<Integer> members = new ArrayList<>();
        int found = 0;
        for (int i = 0; i < 20_000; i++) {
            if (members.size() < 200 ? random.nextInt(3) > 0 : random.nextInt(3) == 0) {
                int block = add((1 + random.nextLong(random.nextBoolean() ? 64 : 400)) * GRAIN);
                members.add(block);
                bySize.merge(blocks.size(block), 1, Integer::sum);
            } else if (!members.isEmpty()) {
                int block = members.remove(random.nextInt(members.size()));
                bySize.merge(blocks.size(block), -1, (a, b) -> a + b == 0 ? null : a + b);
                free.remove(block);
                blocks.remove(block);
            }
            long wanted = (1 + random.nextLong(420)) * GRAIN;
            Long best = bySize.ceilingKey(wanted);
            int block = free.bestFit(wanted, 1);
            if (best == null) {
                assertThat(block).isEqualTo(BlockTable.NONE);
            } else {
                assertThat(blocks.size(block)).isEqualTo(best);
                found++;
            }
            if (i % 100 == 0) {
                free.verify();
            }
        }
        assertThat(found).isBetween(5_000, 19_000);
        assertThat(free.count()).isEqualTo(members.size());
    }

    private int add(long size) {
        blocks.makeRoom(1);
        int block = blocks.addNew(top, size);
        top += size + GRAIN;
        blocks.set(block, size, BlockTable.FREE);
        free.add(block);
        return block;
    }
}
