package io.polder.arena;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.LongConsumer;

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
 * <p>Ordering: {@link #give} releases, {@link #take} acquires: the zeros written before a slab is
 * given are seen by whoever takes it next.
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

    private final long[] words;
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
     * Takes a slot.
     *
     * @param hint where to look first: the thread's id
     * @return the slot, or {@link #NONE} if those probed are taken
     */
    int take(long hint) {
        for (int probe = 0; probe < PROBES; probe++) {
            int slot = (int) (hint + probe) & mask;
            long word = (long) WORDS.getOpaque(words, index(slot));
            if ((word & TAKEN) == 0
                    && WORDS.compareAndSet(words, index(slot), word, word | TAKEN)) {
                return slot;
            }
        }
        return NONE;
    }

    /** The slab of a slot that the caller has taken; 0 if it has none yet. */
    long slab(int slot) {
        return words[index(slot)] & ~TAKEN;
    }

    /**
     * The slot that was taken together with a slab.
     *
     * @param hint what was passed to {@link #take}
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

    /** Puts a slab into a slot that the caller has taken, which had none. */
    void bind(int slot, long slab) {
        words[index(slot)] = slab | TAKEN;
    }

    /** Gives back a slot with its slab, which must read as zero, or with 0 where it has none. */
    void give(int slot, long slab) {
        WORDS.setRelease(words, index(slot), slab);
    }

    /** Takes the slabs of all slots that are free; returns how many there were. */
    int drainTo(LongConsumer destination) {
        int drained = 0;
        for (int slot = 0; slot <= mask; slot++) {
            long word = (long) WORDS.getOpaque(words, index(slot));
            if (word != 0
                    && (word & TAKEN) == 0
                    && WORDS.compareAndSet(words, index(slot), word, TAKEN)) {
                give(slot, 0);
                destination.accept(word);
                drained++;
            }
        }
        return drained;
    }

    private static int index(int slot) {
        return (slot + 1) * STRIDE - 1;
    }
}
