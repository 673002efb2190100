package io.polder.heap.space;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * How many threads change pinned objects in place, so that one that nobody changes at the moment
 * can be moved although it is pinned.
 *
 * <pre>{@code
 *   who changes it:   count; the word says PINNED still?  yes: change, count down
 *                                                         no:  count down, look again
 *   the cycle:        PINNED to UNPINNED
 *   who copies it:    UNPINNED, nobody counted?           yes: copy, publish
 *                                                         no:  back to PINNED
 * }</pre>
 *
 * <p>The one who changes it and the cycle both write before they look, and all four are volatile:
 * so one of the two sees the other. The thread that finds the word UNPINNED begins no change in
 * place; one who has counted too late counts down again. So a count of 0 that was seen while the
 * word was UNPINNED holds as long as it is.
 *
 * <p>Objects share counts; one that shares its count with an object that is being changed is taken
 * for one that is. A count that is never taken back, because a thread had no stack left for it, is
 * forgotten with the next cycle, which has counts of its own: the thread that counted before has
 * left by the end of its first grace period.
 *
 * <p>Thread-safe: atomic operations.
 */
final class PinCounts {
    /** Few enough to be made for each cycle, and many more than there are threads. */
    private static final int SIZE = 1 << 10;

    private static final int SIZE_BITS = Integer.numberOfTrailingZeros(SIZE);

    /** How long to wait for those who change an object: as long as a small copy takes, guessed. */
    private static final long WAIT_NANOS = 50_000;

    private final AtomicIntegerArray counts = new AtomicIntegerArray(SIZE);

    private static int slot(long index) {
        return (int) (index ^ index >>> SIZE_BITS) & (SIZE - 1);
    }

    /** The running thread is about to change an object, if that turns out to be pinned still. */
    void enter(long index) {
        int _ = counts.getAndIncrement(slot(index));
    }

    /** The running thread has changed the object, or will not. */
    void leave(long index) {
        int _ = counts.getAndDecrement(slot(index));
    }

    /**
     * Waits a moment, awake, until nobody changes an object that was found UNPINNED.
     *
     * @return whether nobody does; what they have done happened before
     */
    boolean awaitNone(long index) {
        int slot = slot(index);
        long start = System.nanoTime();
        while (counts.get(slot) != 0) {
            if (System.nanoTime() - start >= WAIT_NANOS) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }
}
