package io.polder;

import io.polder.block.BlockCheck;

/** Checks invariants of a pool and of what belongs to it. */
public final class PoolCheck {
    private PoolCheck() {}

    /** Checks those of blocks, if there are any; only while nobody uses the pool. */
    static void verifyBlocksAtRest(PoolMemory memory) {
        BlockAllocator made = memory.blocks.made;
        if (made != null) {
            BlockCheck.verifyAtRest(made.blocks);
        }
    }

    static void verify(FreeingArena arena) {
        verify(arena.live);
    }

    static void verify(SegmentTable table) {
        int used = 0;
        long sum = 0;
        for (int at = 0; at < table.entries.length; at += 2) {
            if (table.entries[at] != 0) {
                used++;
                sum += table.entries[at + 1];
                if (SegmentTable.place(table.entries, table.entries[at]) != at) {
                    throw new AssertionError("an address is found where it is: at=" + at);
                }
            }
        }
        if (used != table.count || sum != table.bytes || 4 * used > table.entries.length) {
            throw new AssertionError(
                    "counts must agree: used="
                            + used
                            + ", count="
                            + table.count
                            + ", sum="
                            + sum
                            + ", bytes="
                            + table.bytes);
        }
    }
}
