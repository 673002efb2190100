package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The blocks that others are about to move to: what an error leaves behind in the middle of a move
 * stands here, and is freed by who comes next.
 *
 * <pre>{@code
 *   word   0              nobody's
 *          MOVING         of who is about to allocate
 *          block|MOVING   of who copies to it
 *          block|LEFT     to be freed: an error was in the way
 * }</pre>
 *
 * <p>A move that ends, well or not, is out of here by a plain store, which needs no stack.
 *
 * <p>Thread-safe. Words are taken by a compare-and-set; what is left is freed under the lock.
 */
final class Moves {
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

    /** Addresses of blocks have neither bit. */
    private static final long MOVING = 1;

    private static final long LEFT = 2;

    /** Guessed: moves at one time, of threads that are cut off included. */
    private static final int COUNT = 64;

    private final long[] words = new long[COUNT];

    /** Whether there may be something that was left; written after that. */
    private volatile boolean owes;

    /**
     * Allocates a block, copies to it what is in another one, and frees that; if anything is
     * thrown, the other one is as it was.
     *
     * @param bytes the size of the new block
     * @param copied how much is copied
     * @return the new block
     */
    long move(BlockSpace space, long block, long bytes, long copied) {
        settle(space);
        int at = take();
        boolean moved = false;
        try {
            long target = space.allocate(bytes);
            words[at] = target | MOVING;
            MemorySegment.copy(ADDRESS_SPACE, block, ADDRESS_SPACE, target, copied);
            space.free(block);
            words[at] = 0;
            moved = true;
            return target;
        } finally {
            if (!moved) {
                words[at] = (words[at] & ~MOVING) | LEFT;
                owes = true;
            }
        }
    }

    /** Takes a word; returns its index. */
    private int take() {
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
    void settle(BlockSpace space) {
        if (owes) {
            settleLocking(space);
        }
    }

    private synchronized void settleLocking(BlockSpace space) {
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
