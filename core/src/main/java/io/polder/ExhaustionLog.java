package io.polder;

/**
 * Says which of the allocations that fail is logged: a pool that is full refuses many, and each
 * would have a map of the whole pool in the log.
 *
 * <p>Thread-safe: guarded by its monitor, but for {@code logged}.
 */
final class ExhaustionLog {
    /** Guessed: anyone who looks sees a message, and there is no flood. */
    static final long PAUSE_NANOS = 60_000_000_000L;

    /** Whether one was; any thread may say that it was not, since an error came first. */
    volatile boolean logged;

    private long lastNanos;
    private long notLogged;

    /**
     * The next one that failed.
     *
     * @param nowNanos what {@link System#nanoTime} says
     * @return how many were not logged since the last that was; negative if this is not to be
     */
    synchronized long next(long nowNanos) {
        if (logged && nowNanos - lastNanos < PAUSE_NANOS) {
            notLogged++;
            return -1;
        }
        long before = notLogged;
        logged = true;
        lastNanos = nowNanos;
        notLogged = 0;
        return before;
    }
}
