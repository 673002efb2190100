package io.polder.gate;

/**
 * A number that says whether a thread is in a read-side critical section, and tells one from the
 * next.
 *
 * <pre>{@code
 *   63            32 31             0
 *   +---------------+---------------+
 *   |    number     |     depth     |
 *   +---------------+---------------+
 * }</pre>
 *
 * <p>Depth: how often the thread has entered and not left; 0 outside. Number: goes up by one with
 * each critical section, so that a thread that waits for one is not held up by the next. It wraps;
 * a waiter would have to miss four billion critical sections, and would then wait for one more.
 */
final class CriticalSection {
    /** Added to begin a critical section. */
    static final long BEGIN = (1L << Integer.SIZE) + 1;

    /** Added to enter once more, subtracted to leave. */
    static final long NESTED = 1;

    static final int DEPTH_MAX = Integer.MAX_VALUE;

    private CriticalSection() {}

    static int depth(long section) {
        return (int) section;
    }

    static boolean isInside(long section) {
        return depth(section) != 0;
    }

    /** The same critical section, ended. */
    static long ended(long section) {
        return section - depth(section);
    }

    /** Whether a thread that was in {@code earlier}, inside, is in it still. */
    static boolean lasts(long earlier, long now) {
        return isInside(now) && ended(earlier) == ended(now);
    }

    /** The same critical section, at the depth of its first scope. */
    static long outermost(long section) {
        return ended(section) + 1;
    }

    /**
     * Whether a scope is part of what a thread is in now: of the same critical section, and no
     * deeper.
     */
    static boolean isWithin(long scope, long now) {
        return ended(scope) == ended(now) && depth(scope) <= depth(now);
    }
}
