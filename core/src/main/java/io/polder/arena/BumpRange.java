package io.polder.arena;

import io.polder.memory.FieldHandle;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A range of committed memory that many threads allocate from without a lock.
 *
 * <pre>{@code
 *        top                      limit
 *   used  |  free, reads as zero    |
 *
 *   open:   top <= limit      --freeze-->      frozen:  FROZEN | top, nothing fits any more
 * }</pre>
 *
 * <p>{@code top} moves by compare-and-set, and only up. {@link #freeze} is the last move: what it
 * returns is where the range ended, and everything below belongs to somebody.
 */
final class BumpRange {
    /** A bit above every address: with it nothing fits, however it is aligned. */
    private static final long FROZEN = 1L << 62;

    /** A range in which nothing fits. */
    static final BumpRange EMPTY = new BumpRange(FROZEN, 0);

    /** What {@link #tryTake} returns when a request does not fit. */
    static final long NONE = 0;

    private static final VarHandle TOP = FieldHandle.of(MethodHandles.lookup(), "top", long.class);

    private final long limit;
    private volatile long top;

    BumpRange(long top, long limit) {
        this.limit = limit;
        this.top = top;
    }

    /**
     * Takes memory from the front.
     *
     * @param bytes how much, 1 or more
     * @param alignment a power of two
     * @return its address; {@link #NONE} if it does not fit
     */
    long tryTake(long bytes, long alignment) {
        while (true) {
            long from = top;
            long start = (from + alignment - 1) & -alignment;
            if (start < from || bytes > limit - start) {
                return NONE;
            }
            if (TOP.compareAndSet(this, from, start + bytes)) {
                return start;
            }
        }
    }

    /** Ends the range, or finds it ended; returns where. */
    long freeze() {
        return (long) TOP.getAndBitwiseOr(this, FROZEN) & ~FROZEN;
    }
}
