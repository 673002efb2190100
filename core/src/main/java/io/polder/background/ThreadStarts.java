package io.polder.background;

import org.jspecify.annotations.Nullable;

/**
 * What is remembered of threads that could not be started: when to try again, and whom to tell.
 *
 * <pre>{@code
 *   started --fails--> pause --fails--> twice the pause ... the longest pause
 *      ^                                                          |
 *      +----------------------- starts ---------------------------+
 * }</pre>
 *
 * <p>A start that fails costs some hundred microseconds and a line of the JVM's on the console, so
 * it is not tried at each wake-up. It is told once for each row of failures.
 *
 * <p>Not thread-safe: guarded by the monitor of the {@link Background}.
 */
final class ThreadStarts {
    /** The first pause: guessed, as long as a burst of short threads lasts. */
    static final long PAUSE_NANOS = 10_000_000;

    /** Twice the last pause, until it is this one: some ten seconds. */
    static final long PAUSE_MAX_NANOS = PAUSE_NANOS << 10;

    /** Since the last start that failed; 0 if one succeeded after that. */
    private long pauseNanos;

    private long lastNanos;

    /** Why the first one of this row failed, until somebody takes it in order to tell. */
    private @Nullable Throwable untold;

    /** Whether it is time to try. */
    boolean isDue(long nowNanos) {
        return pauseNanos == 0 || nowNanos - lastNanos >= pauseNanos;
    }

    void failed(Throwable failure, long nowNanos) {
        if (pauseNanos == 0) {
            untold = failure;
        }
        pauseNanos = Math.clamp(2 * pauseNanos, PAUSE_NANOS, PAUSE_MAX_NANOS);
        lastNanos = nowNanos;
    }

    void succeeded() {
        pauseNanos = 0;
    }

    /** What is to be told, by the caller and nobody else; null if there is nothing. */
    @Nullable Throwable takeUntold() {
        Throwable taken = untold;
        untold = null;
        return taken;
    }
}
