package io.polder.arena.recycling;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * Finds the blocks that are live, or freed last, by their first address.
 *
 * <pre>{@code
 *   heads[hash of the address]  -->  block  -- first link -->  block  --> none
 * }</pre>
 *
 * <p>Invariants: each such block of the {@link BlockTable} is in the list that its address names,
 * once, and no other is; {@code count <= heads.length}.
 *
 * <p>Failure: {@link #makeRoom} alone allocates on the heap.
 *
 * <p>Not thread-safe.
 */
final class AddressIndex {
    /** 2^64 over the golden ratio: spreads addresses that lie at equal distances. */
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    private static final int CAPACITY_AT_FIRST = 16;
    private static final int CAPACITY_MAX = 1 << 30;

    private final BlockTable blocks;
    private int[] heads = new int[CAPACITY_AT_FIRST];
    private int shift = Long.SIZE - Integer.numberOfTrailingZeros(CAPACITY_AT_FIRST);
    private int count;

    AddressIndex(BlockTable blocks) {
        this.blocks = blocks;
    }

    /**
     * Makes room for one more block, on the heap alone; {@link #grow} puts it to use.
     *
     * @return null if there is room
     */
    int @Nullable [] makeRoom() {
        return count < heads.length || heads.length == CAPACITY_MAX
                ? null
                : new int[2 * heads.length];
    }

    /** Goes on in what {@link #makeRoom} returned. */
    void grow(int[] twice) {
        int[] old = heads;
        heads = twice;
        shift--;
        for (int head : old) {
            int block = head;
            while (block != BlockTable.NONE) {
                int following = blocks.first(block);
                push(block);
                block = following;
            }
        }
    }

    void add(int block) {
        push(block);
        count++;
    }

    /** Forgets all. */
    void clear() {
        Arrays.fill(heads, BlockTable.NONE);
        count = 0;
    }

    private void push(int block) {
        int slot = slot(blocks.address(block));
        blocks.setLinks(block, heads[slot], BlockTable.NONE);
        heads[slot] = block;
    }

    void remove(int block) {
        int slot = slot(blocks.address(block));
        int following = blocks.first(block);
        if (heads[slot] == block) {
            heads[slot] = following;
        } else {
            int previous = heads[slot];
            while (blocks.first(previous) != block) {
                previous = blocks.first(previous);
            }
            blocks.setFirst(previous, following);
        }
        blocks.setLinks(block, BlockTable.NONE, BlockTable.NONE);
        count--;
    }

    /** The block that begins at an address; {@link BlockTable#NONE} if there is none here. */
    int find(long address) {
        int block = heads[slot(address)];
        while (block != BlockTable.NONE && blocks.address(block) != address) {
            block = blocks.first(block);
        }
        return block;
    }

    int count() {
        return count;
    }

    private int slot(long address) {
        return (int) ((address / BlockTable.GRAIN_BYTES * MULTIPLIER) >>> shift);
    }
}
