package io.polder.arena;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Slabs for threads that keep none of their own: most virtual threads, threads beyond those that a
 * limit lets keep some, and threads whose entry in the {@link ThreadTable} belongs to another one.
 *
 * <pre>{@code
 *   words   | slot 0 |  padding  | turns | slot 1 |  padding  | ...
 *
 *   slot:   0           free, and has no slab yet
 *           TAKEN       taken, and has no slab yet
 *           slab        free
 *           slab|TAKEN  taken
 * }</pre>
 *
 * <p>A slot and its slab stay together: whoever takes the slot has the slab, and giving it back is
 * one store. Taking is one compare-and-set, at the slot that the thread's id names or one of the
 * next {@link #PROBES}; threads that run at the same time have ids that differ, mostly by little.
 * Nothing belongs to a carrier thread, so a virtual thread may move while its arena is open.
 *
 * <p>Beside a slot it is counted how many arenas one virtual thread has opened there, with no
 * other in between: whoever opens {@link #TURNS_EARNED} may {@linkplain #earned keep slabs}. A
 * hint: counts that race are lost.
 *
 * <p>When every slot probed is taken (more arenas open than slots: by virtual threads that block
 * inside, say, or forgotten ones), the caller gets a small chunk from {@link ChunkSource}.
 *
 * <p>Ordering: {@link #give} releases, {@link #take} acquires: the zeros written before a slab
 * is given are seen by whoever takes it next.
 *
 * <p><b>Errors.</b> A slot is taken by a compare-and-set after which nothing is called.
 */
final class SlabSlots extends SlabHome {
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

    /** Two cache lines a slot, for the adjacent-line prefetch. */
    private static final int STRIDE = 16;

    static final int PROBES = 6;

    /**
     * So far in front of a slot, in its padding, stands the id of whoever took it last, and turns.
     */
    private static final int TURNS = 1;

    private static final int TURNS_SHIFT = 12;

    /** A virtual thread that has opened so many arenas will open more: guessed. */
    static final int TURNS_EARNED = 1000;

    /** No slot: a word that is padding, and 0. */
    static final int NONE = 0;

    /** A bit that no slab has: see {@link io.polder.chunk.Chunk}. */
    static final long TAKEN = 1 << 4;

    final long[] words;
    private final int mask;

    /**
     * Slots without slabs.
     *
     * @param count how many, a power of two
     */
    SlabSlots(int count) {
        if (Integer.bitCount(count) != 1) {
            throw new IllegalArgumentException(
                    "the number of slots must be a power of two: count=" + count);
        }
        this.words = new long[(count + 1) * STRIDE];
        this.mask = count - 1;
    }

    /**
     * Takes a slot that has a slab.
     *
     * <p>What it calls is written out rather than looped, and thereby longer than what HotSpot
     * inlines into a hot caller ({@code FreqInlineSize}): what opens an arena must stay small, or
     * arenas of other threads are no longer removed.
     *
     * @param guess what the running thread keeps, if the entry is its own; null if there is none
     * @param hint the thread's id, and where to look first
     * @return where it stands in the words, which hold {@code slab | TAKEN} there; {@link #NONE} if
     *     none of the slots probed is free and has one, or the running thread may claim its entry
     *     of the {@link ThreadTable}
     */
    int take(@Nullable ThreadCache guess, long hint) {
        if (!Thread.currentThread().isVirtual()
                && (guess == null || (guess.ownerId() != hint && guess.ended()))) {
            return NONE; // a platform thread's first arena, which claims the entry
        }
        return takeCounted(hint);
    }

    private int takeCounted(long hint) {
        int first = (int) hint;
        int at = index(first & mask);
        if (Thread.currentThread().isVirtual()) {
            long turns = words[at - TURNS];
            if (turns == (hint << TURNS_SHIFT | TURNS_EARNED)) {
                return NONE; // and so may claim the entry
            }
            words[at - TURNS] = turns >>> TURNS_SHIFT == hint ? turns + 1 : hint << TURNS_SHIFT;
        }
        long word = (long) WORDS.getOpaque(words, at);
        if (word != 0
                && (word & TAKEN) == 0
                && WORDS.compareAndSet(words, at, word, word | TAKEN)) {
            return at;
        }
        at = index(first + 1 & mask);
        word = (long) WORDS.getOpaque(words, at);
        if (word != 0
                && (word & TAKEN) == 0
                && WORDS.compareAndSet(words, at, word, word | TAKEN)) {
            return at;
        }
        at = index(first + 2 & mask);
        word = (long) WORDS.getOpaque(words, at);
        if (word != 0
                && (word & TAKEN) == 0
                && WORDS.compareAndSet(words, at, word, word | TAKEN)) {
            return at;
        }
        at = index(first + 3 & mask);
        word = (long) WORDS.getOpaque(words, at);
        if (word != 0
                && (word & TAKEN) == 0
                && WORDS.compareAndSet(words, at, word, word | TAKEN)) {
            return at;
        }
        at = index(first + 4 & mask);
        word = (long) WORDS.getOpaque(words, at);
        if (word != 0
                && (word & TAKEN) == 0
                && WORDS.compareAndSet(words, at, word, word | TAKEN)) {
            return at;
        }
        at = index(first + 5 & mask);
        word = (long) WORDS.getOpaque(words, at);
        if (word != 0
                && (word & TAKEN) == 0
                && WORDS.compareAndSet(words, at, word, word | TAKEN)) {
            return at;
        }
        return NONE;
    }

    /** The same for whoever has claimed what there is to claim. */
    int take(long hint) {
        for (int probe = 0; probe < PROBES; probe++) {
            int at = index((int) (hint + probe) & mask);
            long word = (long) WORDS.getOpaque(words, at);
            if (word != 0
                    && (word & TAKEN) == 0
                    && WORDS.compareAndSet(words, at, word, word | TAKEN)) {
                return at;
            }
        }
        return NONE;
    }

    /**
     * Whether the running thread, a virtual one, has opened so many arenas one after the other that
     * it may keep slabs. Once it is asked, it begins anew.
     */
    boolean earned(long id) {
        int at = index((int) id & mask) - TURNS;
        boolean earned = words[at] == (id << TURNS_SHIFT | TURNS_EARNED);
        if (earned) {
            words[at] = id << TURNS_SHIFT;
        }
        return earned;
    }

    /**
     * Takes a slot that has no slab, for a caller that puts one there: {@code words[at] = slab |
     * TAKEN}, or 0 to give the slot back. Plain stores, which need no stack.
     *
     * @param hint where to look first: the thread's id
     * @return where it stands in the words; {@link #NONE} if none of those probed is free
     */
    int takeEmpty(long hint) {
        for (int probe = 0; probe < PROBES; probe++) {
            int at = index((int) (hint + probe) & mask);
            if ((long) WORDS.getOpaque(words, at) == 0
                    && WORDS.compareAndSet(words, at, 0L, TAKEN)) {
                return at;
            }
        }
        return NONE;
    }

    /**
     * Gives back a slot with its slab.
     *
     * @param at where it stands in the words
     * @param slab its slab, which must read as zero; 0 if it has none
     */
    void give(int at, long slab) {
        WORDS.setRelease(words, at, slab);
    }

    /** Gives back the slabs of all slots that are free; returns how many there were. */
    int drainTo(ChunkSource source) {
        int drained = 0;
        boolean warm = false;
        for (int slot = 0; slot <= mask; slot++) {
            int at = index(slot);
            long word = (long) WORDS.getOpaque(words, at);
            if (word != 0
                    && (word & TAKEN) == 0
                    && WORDS.compareAndSet(words, at, word, word | TAKEN)) {
                boolean given = false;
                try {
                    warm |= source.giveBack(source.chunk(word), 0);
                    given = true;
                } finally {
                    words[at] = given ? 0 : word; // nobody wrote to the slab meanwhile
                }
                drained++;
            }
        }
        if (drained > 0) {
            source.gave(warm);
        }
        return drained;
    }

    /** Where a slot stands in the words. */
    static int index(int slot) {
        return (slot + 1) * STRIDE - 1;
    }
}
