package io.polder.arena;

import io.polder.chunk.ChunkLevel;

/**
 * How large the next chunk of an arena is.
 *
 * <pre>{@code
 *   owned     0 .. 4K    .. 8K     .. 64K     64K .. 32M          more
 *   next        1K         2K        4K       owned / 8           4M
 *             |  tiny  |      standard       |            large        |
 * }</pre>
 *
 * <p>What an arena does decides: one that owns little gets little, since up to an OS page it shares
 * its pages with others, and the last chunk is half empty on average; one that owns much gets
 * chunks in proportion, so that taking them costs nothing to speak of. Above an OS page a chunk
 * that is too large costs address space only: memory is committed as it is used. Nobody has to say
 * beforehand how large an owner will be; who knows can set what the first chunks are.
 *
 * <p>No step is more than twice the one before, apart from the first.
 */
public enum GrowthPolicy {
    /** Begins with 1 KiB; also what applies when nothing is known. */
    TINY(1 << 10),
    /** Begins with an OS page of its own. */
    STANDARD(4 << 10),
    /** Begins with 256 KiB. */
    LARGE(256 << 10);

    /** Guessed: an eighth more each time, so that the last chunk is a small part of the whole. */
    private static final int SHARE_SHIFT = 3;

    /** Guessed: commits ahead at most this part of what the arena owns; under 2 %. */
    private static final int COMMIT_SHIFT = 6;

    private static final long COMMIT_AHEAD_MAX = 64 << 10;

    /** The OS page of most systems: what is larger need not share one. */
    static final long PAGE_BYTES = 4 << 10;

    private final long firstBytes;

    GrowthPolicy(long firstBytes) {
        this.firstBytes = firstBytes;
    }

    /**
     * The size of the next chunk.
     *
     * @param ownedBytes the size of the chunks that the arena has
     * @return a power of two from 1 KiB to 4 MiB
     */
    long nextBytes(long ownedBytes) {
        long first = ownedBytes < PAGE_BYTES ? firstBytes : Math.min(ownedBytes / 2, PAGE_BYTES);
        long bytes = Math.max(Math.max(first, firstBytes), ownedBytes >> SHARE_SHIFT);
        return Long.highestOneBit(Math.min(bytes, ChunkLevel.ROOT_BYTES));
    }

    /**
     * How much to commit at a time.
     *
     * @param ownedBytes the size of the chunks that the arena has
     * @return bytes, 0 or more; whatever is needed comes first
     */
    static long commitBytes(long ownedBytes) {
        return Math.min(ownedBytes >> COMMIT_SHIFT, COMMIT_AHEAD_MAX);
    }
}
