package io.polder;

import io.polder.block.Blocks;

/** Frees blocks from a place that messages name: it is outside of the room of blocks. */
public final class FreesBlocks {
    private FreesBlocks() {}

    /** Frees a block. */
    public static void freeHere(Blocks blocks, long block) {
        blocks.free(block);
    }
}
