package io.polder.arena.recycling;

import java.util.Arrays;

/**
 * The free blocks of a recycling arena, by size; finds the one that fits best.
 *
 * <pre>{@code
 *   bin        0    1    2          63
 *   extent    16   32   48   ...  1024     a list of equal blocks each, the last freed first
 *   occupied   .    X    .          X      a bit each
 *
 *   above     a tree by size
 * }</pre>
 *
 * <p>A request goes to the smallest block that can hold it, from whichever bin or from the tree.
 * For alignments above a grain, the blocks that are large enough are tried one after the other, the
 * smallest first: the result is exact, at the price of a walk where many are large enough and few
 * lie right.
 *
 * <p>Invariants: {@code bytes} and {@code count} are the sum over the bins and the tree; a bit is
 * set iff its bin has a block; every block is {@link BlockTable#FREE}.
 *
 * <p>Not thread-safe.
 */
final class FreeBlocks {
    /** One bit in a word for each. */
    static final int BINS = Long.SIZE;

    /** The largest extent that has a bin. */
    static final long BIN_BYTES_MAX = BINS * BlockTable.GRAIN_BYTES;

    private static final int NONE = BlockTable.NONE;

    private final BlockTable blocks;
    private final int[] heads = new int[BINS];
    private final FreeTree tree;
    private long occupied;
    private long bytes;
    private int count;

    FreeBlocks(BlockTable blocks) {
        this.blocks = blocks;
        this.tree = new FreeTree(blocks);
    }

    /** Forgets all. */
    void clear() {
        Arrays.fill(heads, NONE);
        tree.clear();
        occupied = 0;
        bytes = 0;
        count = 0;
    }

    void add(int block) {
        long extent = blocks.size(block);
        if (extent > BIN_BYTES_MAX) {
            tree.add(block);
        } else {
            int bin = bin(extent);
            int following = heads[bin];
            blocks.setLinks(block, following, NONE);
            if (following != NONE) {
                blocks.setSecond(following, block);
            }
            heads[bin] = block;
            occupied |= 1L << bin;
        }
        bytes += extent;
        count++;
    }

    void remove(int block) {
        long extent = blocks.size(block);
        if (extent > BIN_BYTES_MAX) {
            tree.remove(block);
        } else {
            removeFromBin(block, bin(extent));
        }
        bytes -= extent;
        count--;
    }

    private void removeFromBin(int block, int bin) {
        int following = blocks.first(block);
        int previous = blocks.second(block);
        if (following != NONE) {
            blocks.setSecond(following, previous);
        }
        if (previous != NONE) {
            blocks.setFirst(previous, following);
            return;
        }
        heads[bin] = following;
        if (following == NONE) {
            occupied &= ~(1L << bin);
        }
    }

    /**
     * The smallest block that can hold a request; it stays where it is.
     *
     * @param extent whole grains
     * @param alignment of the address in the block, a power of two
     * @return {@link BlockTable#NONE} if no block can hold it
     */
    int bestFit(long extent, long alignment) {
        if (alignment > BlockTable.GRAIN_BYTES) {
            int block = bestFitInBins(extent, alignment);
            return block != NONE ? block : tree.bestFit(extent, alignment);
        }
        long large = binsFrom(extent);
        return large != 0 ? heads[Long.numberOfTrailingZeros(large)] : tree.bestFit(extent);
    }

    private int bestFitInBins(long extent, long alignment) {
        for (long bins = binsFrom(extent); bins != 0; bins &= bins - 1) {
            int block = heads[Long.numberOfTrailingZeros(bins)];
            while (block != NONE && !fits(blocks, block, extent, alignment)) {
                block = blocks.first(block);
            }
            if (block != NONE) {
                return block;
            }
        }
        return NONE;
    }

    /** The bins that are not empty and hold blocks of at least so many bytes. */
    private long binsFrom(long extent) {
        return extent > BIN_BYTES_MAX ? 0 : occupied & (-1L << bin(extent));
    }

    static boolean fits(BlockTable blocks, int block, long extent, long alignment) {
        return extent <= blocks.end(block) - alignUp(blocks.address(block), alignment);
    }

    /** The first multiple of a power of two from an address on. */
    static long alignUp(long address, long alignment) {
        return (address + alignment - 1) & -alignment;
    }

    private static int bin(long extent) {
        return (int) (extent / BlockTable.GRAIN_BYTES) - 1;
    }

    long bytes() {
        return bytes;
    }

    int count() {
        return count;
    }

    /** Checks the invariants. */
    void verify() {
        long[] sum = new long[2];
        for (int bin = 0; bin < BINS; bin++) {
            require(heads[bin] != NONE == ((occupied >>> bin & 1) != 0), "a bit for a bin", bin);
            int previous = NONE;
            for (int block = heads[bin]; block != NONE; block = blocks.first(block)) {
                checkMember(block, sum);
                require(bin(blocks.size(block)) == bin, "a block is in its bin", block);
                require(blocks.second(block) == previous, "lists are linked both ways", block);
                previous = block;
            }
        }
        verifyTree(tree.root(), NONE, NONE, sum);
        require(sum[0] == bytes, "bytes == sum over the blocks", sum[0]);
        require(sum[1] == count, "count == number of blocks", sum[1]);
    }

    private void verifyTree(int block, int lower, int upper, long[] sum) {
        if (block == NONE) {
            return;
        }
        checkMember(block, sum);
        require(blocks.size(block) > BIN_BYTES_MAX, "the tree has what no bin has", block);
        require(
                (lower == NONE || tree.sortsBefore(lower, block))
                        && (upper == NONE || tree.sortsBefore(block, upper)),
                "the tree is sorted",
                block);
        for (int below : new int[] {blocks.first(block), blocks.second(block)}) {
            require(
                    below == NONE || tree.rank(below) <= tree.rank(block),
                    "no block is above one of higher rank",
                    block);
        }
        verifyTree(blocks.first(block), lower, block, sum);
        verifyTree(blocks.second(block), block, upper, sum);
    }

    private void checkMember(int block, long[] sum) {
        require(blocks.state(block) == BlockTable.FREE, "what is listed is free", block);
        sum[0] += blocks.size(block);
        sum[1]++;
        require(sum[1] <= count, "count == number of blocks", block);
    }

    private void require(boolean holds, String rule, long number) {
        if (!holds) {
            throw new AssertionError(
                    rule
                            + ": number="
                            + number
                            + ", bytes="
                            + bytes
                            + ", count="
                            + count
                            + ", occupied=0x"
                            + Long.toHexString(occupied));
        }
    }
}
