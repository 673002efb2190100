package io.polder.gate;

import java.util.function.BooleanSupplier;

/**
 * How a thread waits for readers: it looks, gives way, and then sleeps until a reader wakes it.
 *
 * <p><b>No wake-up is lost</b> where a reader first leaves and then looks whether somebody is
 * waiting, with a fence in between: the waiter first says that it waits and then looks whether the
 * reader has left, also with a fence in between, and one of the two sees the other. The waiter
 * looks the second time under the monitor, which the thread that wakes it must take. No sleep is
 * longer than some milliseconds, to notice threads that end without leaving.
 *
 * <p>Locking: the monitor is held for a look and for nothing else.
 *
 * <p>Interrupts end no wait, and are passed on at its end.
 *
 * <p>Thread-safe.
 */
final class ReaderWait {
    /** Looks before giving way: some microseconds, as a short critical section takes. Guessed. */
    private static final int SPINS = 128;

    /** Looks that give way to other threads, before sleeping. Guessed. */
    private static final int YIELDS = 16;

    private static final long SLEEP_FIRST_MILLIS = 1;
    private static final long SLEEP_MAX_MILLIS = 16;

    private final Object monitor = new Object();

    /** Run by who waits, whenever it has slept; if it throws, the wait is cut short. */
    volatile Runnable whileWaiting = () -> {};

    /**
     * Returns when the readers have left.
     *
     * @param isOver whether they have; if so, what they did has been seen
     * @param prepareToSleep ends critical sections whose threads have ended; and has readers that
     *     leave from now on call {@link #wake}, and fences
     */
    @SuppressWarnings("ThreadPriorityCheck") // giving way helps if they need this processor
    void await(BooleanSupplier isOver, Runnable prepareToSleep) {
        for (int i = 0; i < SPINS + YIELDS; i++) {
            if (isOver.getAsBoolean()) {
                return;
            }
            if (i < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
        boolean interrupted = false;
        try {
            long millis = SLEEP_FIRST_MILLIS;
            while (true) {
                prepareToSleep.run();
                synchronized (monitor) {
                    if (isOver.getAsBoolean()) {
                        return;
                    }
                    try {
                        monitor.wait(millis);
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
                whileWaiting.run();
                millis = Math.min(2 * millis, SLEEP_MAX_MILLIS);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Lets all waiters look again. */
    void wake() {
        synchronized (monitor) {
            monitor.notifyAll();
        }
    }
}
