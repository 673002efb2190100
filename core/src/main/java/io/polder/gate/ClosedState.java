package io.polder.gate;

/**
 * Whether a gate is open or closed; threads that are not let in wait here until it is reopened.
 *
 * <pre>{@code
 *            close                  a close returns                 reopen
 *   open -----------------> closed -----------------> quiescent ----------------> open
 *    (quiescent = period)    (quiescent < period)     (quiescent = period, closed)
 * }</pre>
 *
 * <p>{@code period} counts how often the gate became closed, {@code quiescent} is the last of these
 * periods in which all readers were seen to have left.
 *
 * <p>Invariants: {@code quiescent <= period}; {@code closed || quiescent == period}; {@code marked
 * == closed}, or a change was cut off; critical sections can begin, by the {@link Protocol}, iff
 * the gate is not {@code marked}.
 *
 * <p>Failure. A close that is cut off leaves the gate closed, and so does a reopen. If it is cut
 * off while the protocol is marked or unmarked, some readers are let in and others are not. Either
 * may be called again, and does what is left.
 *
 * <p>Locking: the monitor guards all fields. It is held while the protocol is marked, and not while
 * anybody waits for readers.
 *
 * <p>Thread-safe.
 */
final class ClosedState {
    final Protocol protocol;

    /** After which a thread looks again, should the one that reopened be cut off. Guessed. */
    private static final long LOOK_MILLIS = 100;

    volatile boolean closed; // written under the monitor

    /** Whether all readers know that it is closed; false while that changes. */
    boolean marked;

    long period;
    long quiescent;
    private long closes;
    private long gracePeriods;
    private long longestWaitNanos;

    /** The state of an open gate. */
    ClosedState(Protocol protocol) {
        this.protocol = protocol;
    }

    boolean isClosed() {
        return closed;
    }

    /** Lets no reader in any more, and returns when all who were inside have left. */
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
        long nanos = waitForReaders();
        synchronized (this) {
            quiescent = Math.max(quiescent, now);
            closes++;
            longestWaitNanos = Math.max(longestWaitNanos, nanos);
        }
    }

    /** Returns when all readers have left that were inside at the call. */
    void synchronize() {
        long nanos = waitForReaders();
        synchronized (this) {
            gracePeriods++;
            longestWaitNanos = Math.max(longestWaitNanos, nanos);
        }
    }

    private long waitForReaders() {
        long start = System.nanoTime();
        protocol.synchronize();
        return System.nanoTime() - start;
    }

    /** Lets critical sections begin again. */
    synchronized void reopen() {
        if (!closed || quiescent != period) {
            throw new IllegalStateException(
                    "a gate must be closed, and the close have returned, to be reopened: closed="
                            + closed
                            + ", period="
                            + period
                            + ", quiescent="
                            + quiescent);
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

    /** What has been counted, here and among readers. */
    GateStatistics statistics(ReaderRegistry.Count readers) {
        long virtualInside = protocol.virtualInside();
        synchronized (this) {
            return new GateStatistics(
                    readers.threads(),
                    readers.slots(),
                    readers.inside(),
                    virtualInside,
                    gracePeriods,
                    closes,
                    readers.endedInside(),
                    longestWaitNanos,
                    readers.longestInside(),
                    protocol.fence());
        }
    }
}
