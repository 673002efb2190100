package io.polder;

import java.util.function.LongConsumer;

/** Frees blocks from a place that messages name: it is outside of the room of blocks. */
public final class FreesBlocks {
    private FreesBlocks() {}

    /** Frees a block by what is given for it. */
    public static void freeHere(LongConsumer free, long block) {
        free.accept(block);
    }
}
