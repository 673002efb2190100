package io.polder.block;

/** What an error leaves of an allocation: the space counts a block as used that nobody has. */
public final class LostBlock {
    private LostBlock() {}

    /** Loses a block, as the handler of an error does with what the thread has in hand. */
    public static void in(BlockSpace space, long bytes) {
        long _ = space.allocate(bytes);
        space.lost.blocks++;
    }
}
