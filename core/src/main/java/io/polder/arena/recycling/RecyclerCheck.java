package io.polder.arena.recycling;

import io.polder.memory.Zeroing;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Checks the invariants of a {@link Recycler} and of its parts, as they stand there. */
final class RecyclerCheck {
    private final BlockTable blocks;
    private final AddressIndex index;
    private final FreeBlocks free;
    private final int[] sorted;

    RecyclerCheck(BlockTable blocks, AddressIndex index, FreeBlocks free) {
        this.blocks = blocks;
        this.index = index;
        this.free = free;
        this.sorted =
                IntStream.range(1, blocks.next())
                        .filter(block -> blocks.state(block) != BlockTable.SPARE)
                        .boxed()
                        .sorted(Comparator.comparingLong(blocks::address))
                        .mapToInt(Integer::intValue)
                        .toArray();
    }

    /**
     * Checks all but the sums.
     *
     * @param recent the block that was freed last
     */
    void verify(int recent) {
        free.verify();
        require(
                sorted.length + blocks.spareCount() == blocks.next() - 1,
                "a number is a block or spare",
                sorted.length);
        require(count(BlockTable.FREE) == free.count(), "free blocks are listed", free.count());
        require(
                count(BlockTable.LIVE) + count(BlockTable.RECENT) == index.count(),
                "live and recent blocks are in the index",
                index.count());
        require(
                count(BlockTable.RECENT) == (recent == BlockTable.NONE ? 0 : 1)
                        && (recent == BlockTable.NONE || blocks.state(recent) == BlockTable.RECENT),
                "at most one block is recent",
                recent);
        int below = BlockTable.NONE;
        for (int block : sorted) {
            checkNeighbours(below, block);
            checkBlock(block);
            below = block;
        }
    }

    private void checkNeighbours(int below, int block) {
        if (below != BlockTable.NONE) {
            require(blocks.end(below) <= blocks.address(block), "blocks do not overlap", block);
            require(
                    (blocks.after(below) == block) == (blocks.before(block) == below),
                    "neighbours are linked both ways",
                    block);
        }
        int before = blocks.before(block);
        if (before == BlockTable.NONE) {
            return;
        }
        require(before == below, "a neighbour is the next block below", block);
        require(blocks.end(before) == blocks.address(block), "neighbours touch", block);
        require(
                blocks.state(before) != BlockTable.FREE || blocks.state(block) != BlockTable.FREE,
                "no two neighbours are free",
                block);
    }

    private void checkBlock(int block) {
        int after = blocks.after(block);
        require(
                after == BlockTable.NONE || blocks.before(after) == block,
                "neighbours are linked both ways",
                block);
        if (blocks.state(block) == BlockTable.LIVE) {
            require(
                    index.find(blocks.address(block)) == block,
                    "live and recent blocks are in the index",
                    block);
            return;
        }
        require(
                blocks.size(block) == blocks.extent(block),
                "the size of a block that is not live is its extent",
                block);
        require(isZero(blocks.address(block), blocks.size(block)), "free memory is zero", block);
    }

    private static boolean isZero(long address, long bytes) {
        for (long at = 0; at < bytes; at += Long.BYTES) {
            if (Zeroing.ADDRESS_SPACE.get(Zeroing.WORD, address + at) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Checks the sums over the live blocks. */
    void requireAllocated(long bytes, long count) {
        long sum =
                Arrays.stream(sorted)
                        .filter(block -> blocks.state(block) == BlockTable.LIVE)
                        .mapToLong(blocks::extent)
                        .sum();
        require(sum == bytes, "allocated bytes == sum over the live blocks", sum);
        require(count(BlockTable.LIVE) == count, "allocated count == live blocks", count);
    }

    private long count(int state) {
        return Arrays.stream(sorted).filter(block -> blocks.state(block) == state).count();
    }

    private void require(boolean holds, String rule, long number) {
        if (holds) {
            return;
        }
        StringBuilder dump = new StringBuilder();
        for (int block : sorted) {
            dump.append('\n')
                    .append(block)
                    .append(": address=0x")
                    .append(Long.toHexString(blocks.address(block)))
                    .append(", size=")
                    .append(blocks.size(block))
                    .append(", state=")
                    .append(blocks.state(block))
                    .append(", before=")
                    .append(blocks.before(block))
                    .append(", after=")
                    .append(blocks.after(block));
        }
        throw new AssertionError(rule + ": number=" + number + dump);
    }
}
