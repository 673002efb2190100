package io.polder.page.space;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock of a {@link PageState}: held for a microsecond at a time, and so waited for awake.
 *
 * <pre>{@code
 *   try (PageLock _ = state.lock()) { ... }
 * }</pre>
 *
 * <p>A thread that is parked comes back when a processor is free for it, which on a busy machine
 * takes a thousand times as long as what it waited for. So a thread looks for a while whether the
 * lock is free before it parks. Where there is one processor it parks at once: whoever holds the
 * lock cannot run meanwhile.
 *
 * <p>It can be entered again by who holds it.
 */
final class PageLock implements AutoCloseable {
    /** Tens of microseconds: a hundred times what the lock is held for. Guessed. */
    private static final int LOOKS = 2000;

    private static final boolean SPINS = Runtime.getRuntime().availableProcessors() > 1;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Takes the lock; {@link #close} gives it back. */
    PageLock lock() {
        if (lock.tryLock()) {
            return this;
        }
        for (int i = 0; SPINS && i < LOOKS; i++) {
            Thread.onSpinWait();
            if (!lock.isLocked() && lock.tryLock()) {
                return this;
            }
        }
        lock.lock();
        return this;
    }

    @Override
    public void close() {
        lock.unlock();
    }

    /**
     * Gives the lock back while it waits for {@link #changedLocked}, at most so long; may return
     * for no reason, so that callers look again at what they wait for.
     *
     * @return how much of the time is left
     * @throws InterruptedException if the thread is interrupted
     */
    @SuppressWarnings("WaitNotInLoop") // the caller's
    long awaitLocked(long nanos) throws InterruptedException {
        return changed.awaitNanos(nanos);
    }

    /** Wakes those who wait. */
    void changedLocked() {
        changed.signalAll();
    }
}
