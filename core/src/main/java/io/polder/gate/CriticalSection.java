package io.polder.gate;

/**
 * A number that says whether a thread is in a read-side critical section, and tells one from the
 * next.
 *
 * <pre>{@code
 *   63            32   31    30         0
 *   +---------------+-------+-----------+
 *   |    number     |COUNTED|   depth   |
 *   +---------------+-------+-----------+
 * }</pre>
 *
 * <p>Depth: how many scopes the thread is in; 0 outside. COUNTED: it is counted in {@link Stripes}.
 * Number: goes up by one with each critical section, so that a thread that waits for one is not
 * held up by the next. It wraps; a waiter would have to miss four billion critical sections, and
 * would then wait for one more.
 */
final class CriticalSection {
    /** Added to begin a critical section. */
    static final long BEGIN = (1L << Integer.SIZE) + 1;

    /** Added to begin a scope within it, subtracted to end a scope. */
    static final long NESTED = 1;

    static final long COUNTED = 1L << 31;

    private static final long DEPTH_MASK = COUNTED - 1;

    private CriticalSection() {}

    static int depth(long section) {
        return (int) (section & DEPTH_MASK);
    }

    static boolean isInside(long section) {
        return depth(section) != 0;
    }

    static boolean isCounted(long section) {
        return (section & COUNTED) != 0;
    }

    /** Whether a slot marks it, and it has one scope: by far the most have. */
    static boolean isPlainOutermost(long section) {
        return (int) section == 1;
    }

    /** The same critical section, ended. */
    static long ended(long section) {
        return section >> Integer.SIZE << Integer.SIZE;
    }

    /** Whether a thread that was in {@code earlier}, inside, is in it still. */
    static boolean lasts(long earlier, long now) {
        return isInside(now) && ended(earlier) == ended(now);
    }

    /**
     * Whether a scope is part of what a thread is in now: of the same critical section, and no
     * deeper.
     */
    static boolean isWithin(long scope, long now) {
        return ended(scope) == ended(now) && depth(scope) <= depth(now);
    }
}
