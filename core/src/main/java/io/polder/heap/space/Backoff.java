package io.polder.heap.space;

import java.util.concurrent.locks.LockSupport;

/**
 * How a thread waits for one step of another: it spins, then lets others run, then parks for longer
 * and longer moments. Whoever it waits for may have lost the processor.
 */
final class Backoff {
    private static final int SPINS = 64;
    private static final int YIELDS = 16;
    private static final long PARK_NANOS = 2_000;
    private static final int DOUBLINGS_MAX = 5;

    private Backoff() {}

    /**
     * Waits a moment.
     *
     * @param done how often it was called for this wait
     * @return that, and this time
     */
    @SuppressWarnings("ThreadPriorityCheck") // a hint: whoever is waited for may need the processor
    static int pause(int done) {
        if (done < SPINS) {
            Thread.onSpinWait();
        } else if (done < SPINS + YIELDS) {
            Thread.yield();
        } else {
            int doublings = Math.min(done - SPINS - YIELDS, DOUBLINGS_MAX);
            LockSupport.parkNanos(PARK_NANOS << doublings);
        }
        return done + 1;
    }
}
