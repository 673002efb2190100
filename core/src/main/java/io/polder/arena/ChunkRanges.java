package io.polder.arena;

import io.polder.chunk.Chunk;
import io.polder.memory.Zeroing;

/**
 * The chunks of an arena, and what of each is used, zero and committed. Whatever an arena hands out
 * is {@linkplain #cut cut} here; nothing else clears ahead of it.
 *
 * <pre>{@code
 *   address           TOP            LIMIT              COMMITTED           end
 *    | used, dirty     | zero          | perhaps dirty      | not committed   |
 *                                        what an earlier      the space knows
 *                                        arena left           what it will be
 * }</pre>
 *
 * <p>The arena allocates by itself up to LIMIT. Beyond, {@link #cut} clears the next window, of 4
 * to 64 KiB as the arena grows, or all that a larger request needs; beyond COMMITTED it commits
 * first, and the {@link io.polder.chunk.ChunkSpace} says whether that is zero. A request whose
 * caller overwrites all of it is cut from what is perhaps dirty, as that is: then TOP and LIMIT
 * move behind it together, so no one is ever shown what it skipped.
 *
 * <p>Invariants: {@code address <= TOP <= LIMIT <= COMMITTED <= end} for each chunk; {@code [TOP,
 * LIMIT)} reads as zero; {@code [TOP, COMMITTED)} is committed, and beyond COMMITTED the space
 * knows what is dirty; all but TOP are multiples of {@link Zeroing#GRAIN_BYTES}. TOP of the current
 * chunk may be behind: the arena knows it.
 *
 * <p><b>Errors.</b> LIMIT moves when everything below it is zero, and not before.
 *
 * <p>Not thread-safe: a confined arena uses it in its thread, a shared one under its lock.
 */
abstract sealed class ChunkRanges permits ArenaChunks {
    static final int TOP = 1;
    static final int LIMIT = 2;
    static final int COMMITTED = 3;
    static final int STRIDE = 4;

    /** Room for so many words is kept for the next arena. */
    private static final int KEPT_MAX = 16 * STRIDE;

    final ChunkSource source;

    /** Chunk, top, limit and what is committed of each; no chunk where one was given back. */
    long[] words = new long[2 * STRIDE];

    int count;

    /** How much is cleared ahead the next time, if the arena is large enough. */
    private long window = GrowthPolicy.PAGE_BYTES;

    /** Whether the last clearing began at the end of its memory; kept for the next arena. */
    private boolean begunAtEnd;

    ChunkRanges(ChunkSource source) {
        this.source = source;
    }

    /**
     * Hands out what a chunk has up to an address, from its top on.
     *
     * @param to where the request ends, in the chunk
     * @param overwritten whether its caller will write to all of it before anybody reads it
     * @param owned the size of what the arena has
     * @return whether it did; if not, the system refuses memory
     * @throws OutOfMemoryError if a limit is in the way
     */
    final boolean cut(int index, long to, boolean overwritten, long owned) {
        int at = index * STRIDE;
        if (to > words[at + LIMIT] && overwritten) {
            return cutAsIs(at, to);
        }
        if (to > words[at + LIMIT] && !reach(at, to, owned)) {
            return false;
        }
        words[at + TOP] = to;
        return true;
    }

    /** Moves LIMIT to an address at least; returns whether it did. */
    private boolean reach(int at, long to, long owned) {
        clearAhead(at, to, owned);
        while (to > words[at + LIMIT]) {
            if (!commit(at, to, GrowthPolicy.commitBytes(owned))) {
                return false;
            }
            clearAhead(at, to, owned);
        }
        return true;
    }

    /** Moves COMMITTED, and LIMIT with it where that is zero; returns whether it did. */
    private boolean commit(int at, long to, long aheadBytes) {
        long chunk = words[at];
        long before = words[at + COMMITTED];
        long from = before - Chunk.address(chunk);
        long needed = to - Chunk.address(chunk);
        long ahead = Math.min(Chunk.bytes(chunk), from + aheadBytes);
        long end = source.commit(chunk, from, needed, Math.max(needed, ahead));
        if (end == 0) {
            return false;
        }
        words[at + COMMITTED] = end & ~Chunk.DIRTY;
        if (words[at + LIMIT] == before && (end & Chunk.DIRTY) == 0) {
            words[at + LIMIT] = end;
        }
        return true;
    }

    /** Clears up to an address, or where what is committed ends, and no less than a window. */
    private void clearAhead(int at, long to, long owned) {
        long from = words[at + LIMIT];
        long left = words[at + COMMITTED] - from;
        if (left > 0 && to > from) {
            long wanted = Math.max(to - from, nextWindow(owned));
            long bytes = Math.min(alignUp(wanted, Zeroing.GRAIN_BYTES), left);
            boolean fromEnd = Zeroing.beginsAtEnd(from, bytes, begunAtEnd);
            begunAtEnd = fromEnd;
            Zeroing.zero(from, bytes, fromEnd);
            words[at + LIMIT] = from + bytes;
        }
    }

    /** How much is cleared now, if no more is needed: a window twice as large as the last one. */
    private long nextWindow(long owned) {
        long now = Math.min(window, GrowthPolicy.clearBytes(owned));
        window = 2 * now;
        return now;
    }

    private boolean cutAsIs(int at, long to) {
        window = GrowthPolicy.PAGE_BYTES; // what comes after each should not cost more than this
        while (to > words[at + COMMITTED]) {
            if (!commit(at, to, 0)) {
                return false;
            }
        }
        long behind = alignUp(to, Zeroing.GRAIN_BYTES);
        words[at + TOP] = behind;
        words[at + LIMIT] = Math.max(behind, words[at + LIMIT]); // more, if what came is zero
        return true;
    }

    /** Gives a chunk back, cached if there is a place for it. */
    final void giveBack(int index) {
        int at = index * STRIDE;
        long chunk = words[at];
        long dirty = dirtyBytes(index);
        long committed = words[at + COMMITTED] - Chunk.address(chunk);
        boolean clears = source.clears(dirty);
        if (clears) {
            begunAtEnd = Zeroing.beginsAtEnd(Chunk.address(chunk), dirty, begunAtEnd);
        }
        source.giveBack(chunk, dirty, committed, clears, begunAtEnd);
    }

    /** How much of a chunk, from its front, may not read as zero now. */
    final long dirtyBytes(int index) {
        int at = index * STRIDE;
        int end = words[at + LIMIT] < words[at + COMMITTED] ? COMMITTED : TOP;
        return words[at + end] - Chunk.address(words[at]);
    }

    final long usedBytes(int index) {
        return words[index * STRIDE + TOP] - Chunk.address(words[index * STRIDE]);
    }

    final long room(int index) {
        return end(index) - words[index * STRIDE + TOP];
    }

    final long end(int index) {
        long chunk = words[index * STRIDE];
        return Chunk.address(chunk) + Chunk.bytes(chunk);
    }

    final boolean fits(int index, long bytes, long alignment) {
        return bytes <= end(index) - alignUp(words[index * STRIDE + TOP], alignment);
    }

    /** Is as new, having given back everything; keeps what it needed at first. */
    void reset() {
        if (words.length > KEPT_MAX) {
            words = new long[2 * STRIDE];
        }
        count = 0;
        window = GrowthPolicy.PAGE_BYTES;
    }

    static long alignUp(long address, long alignment) {
        return (address + alignment - 1) & -alignment;
    }
}
