package io.polder.page.space;

/**
 * A low water mark of free memory, in granules: how much of it nobody has needed since the mark was
 * set.
 *
 * <p>Guarded by the lock of the {@link PageState}.
 */
final class LowMark {
    private long least;

    /** Only this much is free now, or, where it is 0, all that was free had been needed. */
    void fell(long free) {
        least = Math.min(least, free);
    }

    /** Sets the mark to what is free now; returns the least that was since it was set before. */
    long next(long free) {
        long before = Math.min(least, free);
        least = free;
        return before;
    }
}
