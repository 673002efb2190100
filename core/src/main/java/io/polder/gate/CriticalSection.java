package io.polder.gate;

/**
 * A number that says whether a thread is in a read-side critical section, and tells one from the
 * next.
 *
 * <pre>{@code
 *   63            32   31    30         0
 *   +---------------+-------+-----------+
 *   |    number     |COUNTED|   INSIDE  |
 *   +---------------+-------+-----------+
 * }</pre>
 *
 * <p>INSIDE: 1 inside, else 0. COUNTED: it is counted in {@link Stripes}. Number: goes up by one
 * with each critical section, so that a thread that waits for one is not held up by the next. It
 * wraps; a waiter would have to miss four billion critical sections, and would then wait for one
 * more.
 */
final class CriticalSection {
    /** Added to begin a critical section. */
    static final long BEGIN = (1L << Integer.SIZE) + 1;

    /** Stands for a scope within one, which nobody waits for by itself; in no slot. */
    static final long NESTED = 2;

    static final long COUNTED = 1L << 31;

    private static final long INSIDE = 1;

    private CriticalSection() {}

    static boolean isInside(long section) {
        return (section & INSIDE) != 0;
    }

    static boolean isCounted(long section) {
        return (section & COUNTED) != 0;
    }

    /** The same critical section, ended. */
    static long ended(long section) {
        return section >> Integer.SIZE << Integer.SIZE;
    }

    /** Whether a thread that was in {@code earlier}, inside, is in it still. */
    static boolean lasts(long earlier, long now) {
        return isInside(now) && ended(earlier) == ended(now);
    }
}
