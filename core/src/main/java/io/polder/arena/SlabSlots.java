package io.polder.arena;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Slabs for virtual threads, which keep none of their own.
 *
 * <pre>{@code
 *   words   | slot 0 |  padding  | slot 1 |  padding  | ...
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
 * <p>When every slot probed is taken (more arenas open than slots: by virtual threads that block
 * inside, say, or forgotten ones), the caller gets a small chunk from {@link ChunkSource}.
 *
 * <p>Ordering: {@link #give} releases, {@link #takeSlab} acquires: the zeros written before a slab
 * is given are seen by whoever takes it next.
 *
 * <p><b>Errors.</b> A slot is taken by a compare-and-set after which nothing is called.
 */
final class SlabSlots {
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

    /** Two cache lines a slot, for the adjacent-line prefetch. */
    private static final int STRIDE = 16;

    static final int PROBES = 4;

    /** No slot. */
    static final int NONE = -1;

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
     * @param hint where to look first: the thread's id
     * @return the slab; 0 if none of the slots probed is free and has one
     */
    long takeSlab(long hint) {
        for (int probe = 0; probe < PROBES; probe++) {
            int at = index((int) (hint + probe) & mask);
            long word = (long) WORDS.getOpaque(words, at);
            if (word != 0
                    && (word & TAKEN) == 0
                    && WORDS.compareAndSet(words, at, word, word | TAKEN)) {
                return word;
            }
        }
        return 0;
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
     * The slot that was taken together with a slab.
     *
     * @param hint what was passed to {@link #takeSlab}
     * @param slab the slab
     * @return {@link #NONE} if the slab came from elsewhere
     */
    int find(long hint, long slab) {
        for (int probe = 0; probe < PROBES; probe++) {
            int slot = (int) (hint + probe) & mask;
            // Only who took the slot writes this word, and then it is the caller's own.
            if ((long) WORDS.getOpaque(words, index(slot)) == (slab | TAKEN)) {
                return slot;
            }
        }
        return NONE;
    }

    /** Gives back a slot with its slab, which must read as zero, or with 0 where it has none. */
    void give(int slot, long slab) {
        WORDS.setRelease(words, index(slot), slab);
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
