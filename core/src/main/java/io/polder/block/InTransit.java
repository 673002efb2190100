package io.polder.block;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Blocks that were allocated for somebody who does not have them yet: what an error leaves here is
 * freed by who comes next.
 *
 * <pre>{@code
 *   word   0              nobody's
 *          MOVING         of who is about to allocate
 *          block|MOVING   of who does something with it before it is handed on
 *          block|LEFT     to be freed: an error was in the way
 * }</pre>
 *
 * <p>Whoever took a word writes it, by plain stores, which need no stack: 0 when the block is where
 * it is to be, or with {@link #LEFT}; then it sets {@link #owes}.
 *
 * <p>Thread-safe. Words are taken by a compare-and-set; what is left is freed under the lock.
 */
final class InTransit {
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

    /** Addresses of blocks have neither bit. */
    static final long MOVING = 1;

    static final long LEFT = 2;

    /** Guessed: what is under way at one time, of threads that are cut off included. */
    private static final int COUNT = 64;

    private final Blocks space;

    /** See above. */
    final long[] words = new long[COUNT];

    /** Whether there may be something that was left; written after that. */
    volatile boolean owes;

    /** Has what is left freed where it was allocated. */
    InTransit(Blocks space) {
        this.space = space;
    }

    /** Takes a word; returns its index. */
    int take() {
        settle();
        int at = (int) Thread.currentThread().threadId();
        while (true) {
            for (int probe = 0; probe < COUNT; probe++) {
                at = (at + 1) & (COUNT - 1);
                if ((long) WORDS.getOpaque(words, at) == 0
                        && WORDS.compareAndSet(words, at, 0L, MOVING)) {
                    return at;
                }
            }
            Thread.onSpinWait(); // each is held for one copy
        }
    }

    /** Frees what was left. */
    void settle() {
        if (owes) {
            settleLocking();
        }
    }

    private synchronized void settleLocking() {
        owes = false;
        boolean settled = false;
        try {
            for (int at = 0; at < COUNT; at++) {
                long word = (long) WORDS.getAcquire(words, at);
                if ((word & LEFT) != 0) {
                    if (word != LEFT) {
                        space.free(word & ~LEFT);
                    }
                    words[at] = 0;
                }
            }
            settled = true;
        } finally {
            if (!settled) {
                owes = true;
            }
        }
    }
}
