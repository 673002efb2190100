package io.polder.page.space;

/**
 * The takes that were not served from memory at hand, and how long they took from there on. Only
 * those are timed: two looks at a clock are as dear as a take of a page that is at hand.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link PageState} it belongs to.
 */
final class SlowTakes {
    long count;
    long totalNanos;
    long longestNanos;

    /** One has ended, and has its page. */
    void took(long nanos) {
        count++;
        totalNanos += nanos;
        longestNanos = Math.max(longestNanos, nanos);
    }
}
