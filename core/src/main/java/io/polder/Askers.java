package io.polder;

import io.polder.memory.Exhaustion;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Knows the threads for which room is made in a pool that is full: what comes free is theirs first.
 *
 * <pre>{@code
 *   refused --> asks --> room is made --> asked --> tries again
 *               |------- others stand back ---------------|
 *                 at most IN_HAND_NANOS     TRY_NANOS
 * }</pre>
 *
 * <p>Nobody says that he got what he wanted: so others stand back for a moment longer than needed.
 * That ends by itself, whatever becomes of the thread.
 *
 * <p>Thread-safe, without a lock.
 */
class Askers implements Exhaustion {
    /** How long a thread that was not heard of since is thought to have room made. */
    private static final long IN_HAND_NANOS = 1_000_000_000;

    /** How long a thread may take to try again: some turns of others on a busy machine. Guessed. */
    private static final long TRY_NANOS = 20_000_000;

    /** Until when others stand back, by the id of a thread, which keeps nothing of that. */
    private final Map<Long, Long> until = new ConcurrentHashMap<>();

    @Override
    public final void asks() {
        long now = System.nanoTime();
        forget(now);
        until.put(Thread.currentThread().threadId(), now + IN_HAND_NANOS);
    }

    @Override
    public final boolean asked() {
        long now = System.nanoTime();
        forget(now);
        until.put(Thread.currentThread().threadId(), now + TRY_NANOS);
        return until.size() > 1;
    }

    /** The running thread is refused. */
    final void refused() {
        until.remove(Thread.currentThread().threadId());
    }

    @Override
    public final boolean isForOthers() {
        if (until.isEmpty()) {
            return false;
        }
        forget(System.nanoTime());
        return !until.isEmpty() && !until.containsKey(Thread.currentThread().threadId());
    }

    /** Those whose time is over; they may have ended. */
    private void forget(long now) {
        until.values().removeIf(end -> end - now < 0);
    }
}
