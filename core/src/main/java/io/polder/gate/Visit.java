package io.polder.gate;

/**
 * A number that says whether a thread is inside, and tells one visit from the next.
 *
 * <pre>{@code
 *   63            32 31             0
 *   +---------------+---------------+
 *   |     visit     |     depth     |
 *   +---------------+---------------+
 * }</pre>
 *
 * <p>Depth: how often the thread has entered and not left; 0 outside. Visit: goes up by one with
 * each visit, so that who waits for one is not held up by the next. It wraps; who waits would have
 * to miss four billion visits, and would then wait for one visit more.
 */
final class Visit {
    /** Added to begin a visit. */
    static final long BEGIN = (1L << Integer.SIZE) + 1;

    /** Added to enter once more, subtracted to leave. */
    static final long ONCE = 1;

    static final int DEPTH_MAX = Integer.MAX_VALUE;

    private Visit() {}

    static int depth(long visit) {
        return (int) visit;
    }

    static boolean isInside(long visit) {
        return depth(visit) != 0;
    }

    /** The same visit, ended. */
    static long ended(long visit) {
        return visit - depth(visit);
    }

    /** Whether a thread that was in {@code earlier}, inside, is in it still. */
    static boolean lasts(long earlier, long now) {
        return isInside(now) && ended(earlier) == ended(now);
    }

    /** The same visit, at the depth of its first scope. */
    static long outermost(long visit) {
        return ended(visit) + 1;
    }

    /** Whether a scope is part of what a thread is in now: of the same visit, and no deeper. */
    static boolean isWithin(long scope, long now) {
        return ended(scope) == ended(now) && depth(scope) <= depth(now);
    }
}
