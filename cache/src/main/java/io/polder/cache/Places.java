package io.polder.cache;

/**
 * Where in arrays threads have something of their own: a few places for all threads, of which each
 * thread has one, so far apart that no cache line has two.
 *
 * <p>Two threads may have the same place.
 */
final class Places {
    /** Two cache lines, for the adjacent-line prefetch, of references of 4 bytes. */
    static final int STRIDE = 32;

    private static final int COUNT_MAX = 64;

    /** A power of two: up to eight for each processor, so that those that run seldom share one. */
    static final int COUNT =
            Math.min(
                    COUNT_MAX,
                    Integer.highestOneBit(8 * Runtime.getRuntime().availableProcessors() - 1));

    /** How long the arrays are: their own length, which all read, is apart from the first place. */
    static final int LENGTH = (COUNT + 1) * STRIDE;

    private Places() {}

    /** Where a thread has its place, by its id. */
    static int of(long threadId) {
        return ((int) (threadId ^ threadId >>> 7) & (COUNT - 1)) * STRIDE + STRIDE;
    }
}
