package io.polder.block;

/**
 * What errors lost of the memory of a {@link BlockSpace}: it counts as used, although nobody has
 * it, and goes back when the pool is closed.
 *
 * <p>The handler of an error adds what the thread had in hand, by a plain store, since a call could
 * fail as well. Where two handlers add at the same moment, one of the two may not count: a closed
 * pool then keeps what was lost. Never is too much counted, since nothing is subtracted.
 */
public final class Lost {
    /** Blocks that were allocated, and that nobody got or somebody freed. */
    long blocks;

    /** Spans that count as announced and that no list has: others do not get their memory. */
    long announcements;

    /** The capacity of chunks that no span has any more. */
    public long chunkBytes;

    /** The size of pages that no large block has any more. */
    public long pageBytes;
}
