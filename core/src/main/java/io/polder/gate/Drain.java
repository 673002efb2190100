package io.polder.gate;

/**
 * Waits until somebody has left: looks, gives way, and then sleeps until woken.
 *
 * <p><b>No wake-up is lost</b> where the one who leaves first leaves and then looks whether it is
 * wanted, with a fence in between: the one who waits first wants it and then looks whether it has
 * left, also with a fence in between, and one of the two sees the other. The second look is made
 * under the monitor, which whoever wakes must take. Where those who leave have no fence, a wake-up
 * can be lost, by one who was leaving at that moment; so there are some microseconds of looks
 * between wanting and sleeping, in which that is seen. And no sleep is longer than some
 * milliseconds, which also serves to notice threads that end without leaving.
 *
 * <p>Locking: the monitor is held for a look and for nothing else.
 *
 * <p>Interrupts end no wait, and are passed on at its end.
 *
 * <p>Thread-safe.
 */
final class Drain {
    /** Looks before giving way: some microseconds, as a short visit takes. Guessed. */
    private static final int SPINS = 128;

    /** Looks that give way to other threads, before sleeping. Guessed. */
    private static final int YIELDS = 16;

    private static final long SLEEP_FIRST_MILLIS = 1;
    private static final long SLEEP_MAX_MILLIS = 16;

    /** What is waited for. */
    interface Departure {
        /** Whether they have left; if so, what they did has been seen. */
        boolean isOver();

        /** Has whoever leaves from now on call {@link Drain#wake}, and fences. */
        void want();

        /** Ends visits whose threads have ended. */
        void buryEnded();
    }

    private final Object monitor = new Object();

    /** Returns when they have left. */
    @SuppressWarnings("ThreadPriorityCheck") // giving way helps if they need this processor
    void await(Departure departure) {
        if (spin(departure)) {
            return;
        }
        for (int i = 0; i < YIELDS; i++) {
            if (departure.isOver()) {
                return;
            }
            Thread.yield();
        }
        boolean interrupted = false;
        try {
            long millis = SLEEP_FIRST_MILLIS;
            while (true) {
                departure.buryEnded();
                departure.want();
                if (spin(departure)) {
                    return;
                }
                synchronized (monitor) {
                    if (departure.isOver()) {
                        return;
                    }
                    try {
                        monitor.wait(millis);
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
                millis = Math.min(2 * millis, SLEEP_MAX_MILLIS);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static boolean spin(Departure departure) {
        for (int i = 0; i < SPINS; i++) {
            if (departure.isOver()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /** Has all who wait look again. */
    void wake() {
        synchronized (monitor) {
            monitor.notifyAll();
        }
    }
}
