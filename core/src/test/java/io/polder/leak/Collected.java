package io.polder.leak;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what the collector finds, and for the threads that work on that. */
public final class Collected {
    /** Far more than anything takes that works. */
    private static final int COLLECTIONS_MAX = 500;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long PAUSE_MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(256);

    private Collected() {}

    /** Clears what is tracked as a collection does, before the thread that enqueues comes to it. */
    public static void clear(LeakDetector leaks) {
        leaks.tracked.forEach(TrackedReference::clear);
    }

    /**
     * Collects until a condition holds; fails if many collections did not bring that about. What is
     * counted is collections and not time, which is another on each machine. After each of them
     * there is a pause, longer each time: a slow machine would do nothing else.
     */
    public static void until(String what, BooleanSupplier condition) {
        long pause = PAUSE_NANOS;
        for (int i = 0; i < COLLECTIONS_MAX; i++) {
            System.gc();
            LockSupport.parkNanos(pause);
            if (condition.getAsBoolean()) {
                return;
            }
            pause = Math.min(2 * pause, PAUSE_MAX_NANOS);
        }
        throw new AssertionError("collected in vain until " + what);
    }
}
