package io.polder.arena;

import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
import io.polder.memory.MemoryBudget;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.LongConsumer;

/**
 * Free chunks that a pool keeps for the next arenas: a thread that opens and closes arenas of one
 * size finds the chunk again that it gave, without a lock.
 *
 * <pre>{@code
 *                level  0      1      2    ...    12
 *   row 0             | word | word | word | ... | word | unused |      a thread begins at the row
 *   row 1             | word | word | word | ... | word | unused |      that its id names, and
 *   ...                                                                 looks at the next one, too
 *
 *   word   63      61       48 47                   10    6       5       4     3   0
 *         |   0   | committed |   address / 1024     | 0 | DIRTY | TAKEN | IDLE |level|
 *
 *   0             no chunk
 *   chunk         free, for anybody to take
 *   chunk|DIRTY   free as well, and what is committed of it may not read as zero
 *   chunk|IDLE    free as well, and was there at the last tick
 *   chunk|TAKEN   in the hand of the thread that gives it back to the space, and holds the monitor
 * }</pre>
 *
 * <p>A chunk is kept with what is committed of it, from its front, so that who takes it need not
 * ask. It reads as zero, or is DIRTY: then who takes it clears it, and who gives it to the space
 * says so. To the space it is used: nothing uncommits it, and it merges with nothing.
 * So it goes back to the space at the second tick after it came, with a trim, before more memory is
 * reserved, and where a limit is in the way of anybody.
 *
 * <p>Rows belong to nobody. Threads whose ids name the same row, and virtual threads, exchange what
 * is there; a thread that ends leaves nothing that others cannot reach. Large chunks have fewer
 * rows: at most {@link #LEVEL_MAX_BYTES} are kept of one level, and less where there is a limit.
 *
 * <p>Ordering: a chunk is put by a compare-and-set and removed by one. So the zeros written before
 * it is put are seen by the thread that takes it.
 *
 * <p><b>Errors.</b> {@link #take} and {@link #keep} decide by a compare-and-set after which nothing
 * is called. What is given to the space stays here, marked, until it is given: by stores.
 *
 * <p>Thread-safe. Chunks are taken and kept without a lock. A thread that gives some back to the
 * space holds the monitor meanwhile, and takes the lock of the space. So one that has drained the
 * cache knows that nothing of it is in the hand of another one, where it would be free and not
 * found.
 */
final class ChunkCache implements MemoryBudget.Shrinker {
    static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

    /** Two cache lines a row, for the adjacent-line prefetch, and room for every level. */
    static final int STRIDE = 16;

    /** A chunk that does not fit its own row: two arenas of one size may be open at a time. */
    private static final int PROBES = 2;

    /** Guessed: threads beyond share rows, which costs less than what large chunks are used for. */
    static final int ROWS_MAX = 16;

    /** Guessed: next to clearing more than this, a lock costs nothing. */
    static final long LEVEL_MAX_BYTES = 8 << 20;

    /**
     * Of one level, at most this part of a limit: what is kept comes back where a limit is in the
     * way, but who takes it may not use all the memory it has. Guessed.
     */
    private static final int LIMIT_SHARE = 64;

    static final long IDLE = 1 << 4;

    static final long TAKEN = 1 << 5;

    final long[] words;
    private final int mask;
    private final long levelMaxBytes; // a power of two
    private final ChunkSource source;

    /** Made before, since who drains may have neither stack nor Java heap left. */
    private final LongConsumer give = this::giveToSpace;

    /**
     * Nothing is kept yet.
     *
     * @param source where chunks go that are not kept any more
     * @param processors how many threads run at one time, at most; 1 or more
     */
    ChunkCache(ChunkSource source, int processors) {
        int rows = Math.clamp(Integer.highestOneBit(2 * processors - 1), PROBES, ROWS_MAX);
        this.source = source;
        this.mask = rows - 1;
        long most = Math.min(LEVEL_MAX_BYTES, source.limitBytes() / LIMIT_SHARE);
        this.levelMaxBytes = Long.highestOneBit(most);
        this.words = new long[(rows + 1) * STRIDE];
        this.words[0] = TAKEN;
    }

    /** The chunk of what {@link #take} returned. */
    static long chunk(long word) {
        return word & Chunk.MASK;
    }

    /** How much of it is committed, from its front, in bytes. */
    static long committedBytes(long word) {
        return word >>> Chunk.COMMITTED_SHIFT << Chunk.UNIT_SHIFT;
    }

    /**
     * Removes a chunk of a level and returns its word; {@link Chunk#NONE} if there is none.
     *
     * @param mostBytes how much of it may be committed
     */
    long take(int level, long mostBytes) {
        int row = (int) Thread.currentThread().threadId();
        for (int probe = 0; probe < PROBES; probe++) {
            int at = index(row + probe, level);
            long word = (long) WORDS.getOpaque(words, at);
            if (word != 0
                    && (word & TAKEN) == 0
                    && committedBytes(word) <= mostBytes
                    && WORDS.compareAndSet(words, at, word, 0L)) {
                return word;
            }
        }
        return Chunk.NONE;
    }

    /**
     * Keeps a chunk if there is a place for it.
     *
     * @param committedBytes how much of it is committed, from its front; more than 0
     * @param dirty whether that may not read as zero
     * @return whether it is kept; otherwise it is still the caller's
     */
    boolean keep(long chunk, long committedBytes, boolean dirty) {
        long committed = committedBytes >>> Chunk.UNIT_SHIFT << Chunk.COMMITTED_SHIFT;
        long word = chunk | committed | (dirty ? Chunk.DIRTY : 0);
        int row = (int) Thread.currentThread().threadId();
        for (int probe = 0; probe < PROBES; probe++) {
            int at = index(row + probe, Chunk.level(chunk));
            if ((long) WORDS.getOpaque(words, at) == 0
                    && WORDS.compareAndSet(words, at, 0L, word)) {
                return true;
            }
        }
        return false;
    }

    /** Where a row has its chunk of a level; a word that is always TAKEN if none is kept. */
    private int index(int row, int level) {
        int rows = (int) ((levelMaxBytes << level) / ChunkLevel.ROOT_BYTES); // no slow division
        return rows == 0 ? 0 : ((row & mask & (rows - 1)) + 1) * STRIDE + level;
    }

    /**
     * Gives back all chunks to the space, and waits for a thread that is doing so; returns how many
     * this one gave.
     */
    int drain() {
        return drain(false);
    }

    /**
     * Gives back to the space what was here at the last tick and not taken since.
     *
     * @return whether something is kept still
     */
    boolean tick() {
        int _ = drain(true);
        for (int at = STRIDE; at < words.length; at++) {
            if ((long) WORDS.getOpaque(words, at) != 0) {
                return true;
            }
        }
        return false;
    }

    private synchronized int drain(boolean onlyIdle) {
        int drained = 0;
        for (int at = STRIDE; at < words.length; at++) {
            drained += drain(words, at, onlyIdle, give) ? 1 : 0;
        }
        if (drained > 0) {
            source.gave();
        }
        return drained;
    }

    /**
     * Gives back what a word has, or makes it IDLE if only that is to go and it is not yet.
     *
     * @param give gives it to the space
     * @return whether it was given
     */
    static boolean drain(long[] words, int at, boolean onlyIdle, LongConsumer give) {
        long word = (long) WORDS.getOpaque(words, at);
        if (word == 0 || (word & TAKEN) != 0) {
            return false;
        }
        boolean stays = onlyIdle && (word & IDLE) == 0;
        if (!WORDS.compareAndSet(words, at, word, word | (stays ? IDLE : TAKEN)) || stays) {
            return false;
        }
        try {
            give.accept(word & ~IDLE);
            words[at] = 0;
        } catch (Throwable failure) {
            words[at] = word; // nobody wrote to the memory meanwhile
            throw failure;
        }
        return true;
    }

    private void giveToSpace(long word) {
        long committed = committedBytes(word);
        long dirty = (word & Chunk.DIRTY) == 0 ? 0 : committed;
        source.space.giveAsIs(chunk(word), dirty, committed, false);
    }

    @Override
    public long uncommitFree(long wantedBytes) {
        int _ = drain(); // what another one has given meanwhile was not looked at either
        return source.space.uncommitFree(wantedBytes);
    }

    @Override
    public long releaseFree(long wantedBytes) {
        int _ = drain();
        return source.space.releaseFree(wantedBytes);
    }
}
