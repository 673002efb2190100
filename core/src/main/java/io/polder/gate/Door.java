package io.polder.gate;

/**
 * Whether a gate is open, and who waits until it is again.
 *
 * <pre>{@code
 *            close                  a close returns               reopen
 *   open -----------------> closed ----------------> drained ----------------> open
 *    (drained = period)      (drained < period)       (drained = period, closed)
 * }</pre>
 *
 * <p>{@code period} counts how often the gate became closed, {@code drained} is the last of these
 * in which everybody was seen to have left.
 *
 * <p>Invariants: {@code drained <= period}; {@code closed || drained == period}; {@code marked ==
 * closed}, or a change was cut off; visits can begin, by the {@link Protocol}, iff the gate is not
 * {@code marked}.
 *
 * <p>Failure. A close that is cut off leaves the gate closed, a reopen does so too. While marking
 * or unmarking is cut off in its middle, some visits can begin and others wait. Either may be
 * called again, and does what is left.
 *
 * <p>Locking: the monitor guards all fields. It is held while the protocol is marked, and not while
 * anybody inside is waited for.
 *
 * <p>Thread-safe.
 */
final class Door {
    private final Protocol protocol;

    /** After which who waits looks again, should the one who opened have been cut off. Guessed. */
    private static final long LOOK_MILLIS = 100;

    private volatile boolean closed; // written under the monitor

    /** Whether all visitors know that it is closed; false while that changes. */
    private boolean marked;

    private long period;
    private long drained;
    private long closes;
    private long gracePeriods;
    private long longestWaitNanos;

    /** An open door. */
    Door(Protocol protocol) {
        this.protocol = protocol;
    }

    boolean isClosed() {
        return closed;
    }

    /** Lets nobody in any more, and returns when all who were inside have left. */
    void close() {
        long now;
        synchronized (this) {
            if (!closed) {
                period++;
                closed = true;
            }
            if (!marked) {
                protocol.mark();
                marked = true;
            }
            now = period;
        }
        long nanos = awaitOthers();
        synchronized (this) {
            drained = Math.max(drained, now);
            closes++;
            longestWaitNanos = Math.max(longestWaitNanos, nanos);
        }
    }

    /** Returns when all who were inside at the call have left. */
    void awaitEarlier() {
        long nanos = awaitOthers();
        synchronized (this) {
            gracePeriods++;
            longestWaitNanos = Math.max(longestWaitNanos, nanos);
        }
    }

    private long awaitOthers() {
        long start = System.nanoTime();
        protocol.awaitEarlier();
        return System.nanoTime() - start;
    }

    /** Lets visits begin again. */
    synchronized void reopen() {
        if (!closed || drained != period) {
            throw new IllegalStateException(
                    "a gate must be closed, and the close have returned, to be reopened: closed="
                            + closed
                            + ", period="
                            + period
                            + ", drained="
                            + drained);
        }
        marked = false;
        protocol.unmark();
        closed = false;
        notifyAll();
    }

    /** Waits while the gate is closed. */
    void awaitOpen() {
        boolean interrupted = false;
        synchronized (this) {
            while (closed) {
                try {
                    wait(LOOK_MILLIS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** What has been counted, here and among visitors. */
    GateStatistics statistics(Visitors.Count visitors) {
        long virtualInside = protocol.virtualInside();
        synchronized (this) {
            return new GateStatistics(
                    visitors.threads(),
                    visitors.slots(),
                    visitors.inside(),
                    virtualInside,
                    gracePeriods,
                    closes,
                    visitors.endedInside(),
                    longestWaitNanos,
                    visitors.longestInside(),
                    protocol.fence());
        }
    }

    /** Checks the invariants. */
    synchronized void verify() {
        if (drained > period || !(closed || drained == period)) {
            throw new AssertionError(
                    "drained <= period; closed || drained == period: closed="
                            + closed
                            + ", period="
                            + period
                            + ", drained="
                            + drained);
        }
        if (marked == closed) {
            protocol.verify(closed);
        }
    }
}
