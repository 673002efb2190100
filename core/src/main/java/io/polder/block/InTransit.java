package io.polder.block;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Blocks that were allocated for somebody who does not have them yet: what an error leaves here is
 * freed by whoever comes next.
 *
 * <pre>{@code
 *   word   0              nobody's
 *          MOVING         of whoever is about to allocate
 *          block|MOVING   of whoever does something with it before it is handed on
 *          block|LEFT     to be freed: an error was in the way
 * }</pre>
 *
 * <p>Whoever took a word writes it, by plain stores, which need no stack: 0 when the block is where
 * it is to be, or with {@link #LEFT}; then it sets {@link #owes}. Words lie in parts that never
 * move. Where all are taken there is another part: nobody waits, since who has a word may be a
 * virtual thread that waits for a carrier.
 *
 * <p>Thread-safe. Words are taken by a compare-and-set; what is left is freed under the lock, and
 * parts are added under it.
 */
final class InTransit {
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

    /** Addresses of blocks have neither bit. */
    static final long MOVING = 1;

    static final long LEFT = 2;

    /** Word {@code number} stands in part {@code number >>> PART_BITS}. Guessed: 64 are enough. */
    static final int PART_BITS = 6;

    /** Where in its part: at {@code number & PART_MASK}. */
    static final int PART_MASK = (1 << PART_BITS) - 1;

    private static final int PART = 1 << PART_BITS;

    private final Blocks space;

    /** Read without a call by whoever has a word, since a call can overflow the stack. */
    volatile long[][] parts = {new long[PART]};

    /** Whether there may be something that was left; written after that. */
    volatile boolean owes;

    /** Has what is left freed where it was allocated. */
    InTransit(Blocks space) {
        this.space = space;
    }

    /** Takes a word; returns its number. */
    int take() {
        reclaim();
        while (true) {
            long[][] now = parts;
            for (int part = 0; part < now.length; part++) {
                int at = takeOf(now[part]);
                if (at >= 0) {
                    return part * PART + at;
                }
            }
            add(now);
        }
    }

    /** Takes a word of a part; returns where it stands there, or a negative number. */
    private static int takeOf(long[] words) {
        int first = (int) Thread.currentThread().threadId();
        for (int probe = 1; probe <= PART; probe++) {
            int at = (first + probe) & PART_MASK;
            if ((long) WORDS.getOpaque(words, at) == 0
                    && WORDS.compareAndSet(words, at, 0L, MOVING)) {
                return at;
            }
        }
        return -1;
    }

    private synchronized void add(long[][] before) {
        if (parts == before) {
            long[][] more = Arrays.copyOf(before, before.length + 1);
            more[before.length] = new long[PART];
            parts = more;
        }
    }

    /** Frees what was left. */
    void reclaim() {
        if (owes) {
            reclaimLocking();
        }
    }

    private synchronized void reclaimLocking() {
        owes = false;
        boolean done = false;
        try {
            for (long[] words : parts) {
                reclaim(words);
            }
            done = true;
        } finally {
            if (!done) {
                owes = true;
            }
        }
    }

    private void reclaim(long[] words) {
        for (int at = 0; at < PART; at++) {
            long word = (long) WORDS.getAcquire(words, at);
            if ((word & LEFT) != 0) {
                if (word != LEFT) {
                    space.free(word & ~LEFT);
                }
                words[at] = 0;
            }
        }
    }
}
