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

    /** Twice the last pause, until it is 1024 times the first one: some ten seconds. */
    static final int DOUBLINGS_MAX = 10;

    private int failuresInARow;
    private long lastNanos;

    /** Why the first one of this row failed, until somebody takes it in order to tell. */
    private @Nullable Throwable untold;

    /** Whether it is time to try. */
    boolean isDue(long nowNanos) {
        return failuresInARow == 0 || nowNanos - lastNanos >= pauseNanos();
    }

    private long pauseNanos() {
        return PAUSE_NANOS << Math.min(failuresInARow - 1, DOUBLINGS_MAX);
    }

    void failed(Throwable failure, long nowNanos) {
        if (failuresInARow == 0) {
            untold = failure;
        }
        failuresInARow = Math.max(1, failuresInARow + 1);
        lastNanos = nowNanos;
    }

    void succeeded() {
        failuresInARow = 0;
    }

    /** What is to be told, by the caller and nobody else; null if there is nothing. */
    @Nullable Throwable takeUntold() {
        Throwable taken = untold;
        untold = null;
        return taken;
    }
}
