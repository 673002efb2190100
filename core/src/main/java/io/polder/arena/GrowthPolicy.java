package io.polder.arena;

import io.polder.chunk.ChunkLevel;

/**
 * How large the next chunk of an arena is.
 *
 * <pre>{@code
 *   owned     0 .. 4K      4K .. 64K      64K .. 32M          more
 *   next        1K            4K          owned / 8            4M
 *             | tiny |     standard    |            large           |
 * }</pre>
 *
 * <p>What an arena does decides: one that owns little gets little, and shares an OS page with
 * others. Its chunk is doubled where it is as long as it lies within a page; after that the arena
 * gets whole pages, for each page that it shares stays committed until the last of its owners
 * closes. One that owns much gets chunks in proportion, so that taking them costs nothing to speak
 * of: above an OS page, a chunk that is too large costs address space only, since memory is
 * committed as it is used. Nobody has to say beforehand how large an owner will be.
 *
 * <p>An arena that began with a slab {@linkplain #nextAfterSlab doubles} at first.
 */
final class GrowthPolicy {
    /** The first chunk of an arena of which nothing is known. */
    static final long FIRST_BYTES = ChunkLevel.SMALLEST_BYTES;

    /** Guessed: an eighth more each time, so that the last chunk is a small part of the whole. */
    private static final int SHARE_SHIFT = 3;

    /** Guessed: commits ahead at most this part of what the arena owns; under 2 %. */
    private static final int COMMIT_SHIFT = 6;

    private static final long COMMIT_AHEAD_MAX = 64 << 10;

    /** Guessed: a window costs a call, and what is cleared and not used is in the cache in vain. */
    private static final long CLEAR_AHEAD_MAX = 64 << 10;

    /** The OS page of most systems: what is larger need not share one. */
    static final long PAGE_BYTES = 4 << 10;

    /** Guessed: from here on, taking chunks costs nothing to speak of. */
    private static final long DOUBLED_MAX_BYTES = 256 << 10;

    private GrowthPolicy() {}

    /**
     * The size of the next chunk.
     *
     * @param ownedBytes the size of the chunks that the arena has
     * @return a power of two from 1 KiB to 4 MiB
     */
    static long nextBytes(long ownedBytes) {
        long first = ownedBytes < PAGE_BYTES ? FIRST_BYTES : PAGE_BYTES;
        long share = Math.min(ownedBytes >> SHARE_SHIFT, ChunkLevel.ROOT_BYTES);
        return Long.highestOneBit(Math.max(first, share));
    }

    /**
     * The size of the next chunk of an arena that began with a slab: as much as it has. Few arenas
     * have slabs at a time, and most of those are closed soon: what counts is how often they take a
     * chunk, and that they find one in the {@link ChunkCache}.
     *
     * @param ownedBytes the size of the chunks that the arena has, the slab included
     * @return a power of two from 1 KiB to 4 MiB
     */
    static long nextAfterSlab(long ownedBytes) {
        long doubled = Math.min(ownedBytes, DOUBLED_MAX_BYTES);
        return Math.max(nextBytes(ownedBytes), Long.highestOneBit(doubled));
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

    /**
     * How much to clear at a time of memory that is committed and may not read as zero.
     *
     * @param ownedBytes the size of the chunks that the arena has
     * @return bytes; whatever is needed comes first
     */
    static long clearBytes(long ownedBytes) {
        return Math.clamp(ownedBytes >> SHARE_SHIFT, PAGE_BYTES, CLEAR_AHEAD_MAX);
    }
}
