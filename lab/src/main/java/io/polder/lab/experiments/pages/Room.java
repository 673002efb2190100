package io.polder.lab.experiments.pages;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;

/**
 * How much of a budget the pages of a heap take up, and who waits for the rest.
 *
 * <pre>{@code
 * 0             held                                    reserve   limit
 * |#############|.............................|............|........|
 *               the mutator takes up to ------|----------->|        |
 *               the collector takes up to ----|-------------------->|
 *                                             low: the collector is called
 * }</pre>
 *
 * <p>A thread that takes a page charges first. So a page that is refused afterwards is refused
 * although enough is free; and where too little is, the mutator waits here, as a Java thread does
 * for its garbage collector. The reserve is for the collector, which needs up to one page before it
 * has emptied one.
 *
 * <p>Thread-safe: its monitor guards all, and nothing else is locked inside.
 */
final class Room {
    /** After which the mutator gives up; a workload that fits waits for milliseconds. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long RESERVE_BYTES = 2 * ObjectKind.SMALL.pageBytesMax();

    private final long limitBytes;
    private final long lowBytes;

    private long heldBytes;
    private boolean called;
    private boolean waiting;
    private boolean closed;
    private @Nullable Throwable failure;

    private long waits;
    private long waitNanos;
    private long waitNanosMax;

    /**
     * @param limitBytes how much pages may take up
     * @param lowBytes with less than that free the collector is called
     */
    Room(long limitBytes, long lowBytes) {
        this.limitBytes = limitBytes;
        this.lowBytes = lowBytes;
    }

    /**
     * Charges for a page of the mutator: for as much as is free, a power of two; waits until that
     * is enough.
     *
     * @return how much was charged
     */
    synchronized long charge(long leastBytes, long mostBytes) throws InterruptedException {
        if (free() < leastBytes) {
            await(leastBytes);
        }
        long bytes = Math.min(mostBytes, Long.highestOneBit(free()));
        heldBytes += bytes;
        if (limitBytes - heldBytes < lowBytes) {
            call();
        }
        return bytes;
    }

    private long free() {
        return limitBytes - RESERVE_BYTES - heldBytes;
    }

    private void await(long leastBytes) throws InterruptedException {
        long start = System.nanoTime();
        while (free() < leastBytes) {
            waiting = true;
            call();
            long left = PATIENCE_NANOS - (System.nanoTime() - start);
            if (left <= 0) {
                throw new AssertionError(
                        "the workload must fit its budget: limitBytes="
                                + limitBytes
                                + ", heldBytes="
                                + heldBytes
                                + ", leastBytes="
                                + leastBytes);
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
            requireNoFailure();
        }
        waiting = false;
        long nanos = System.nanoTime() - start;
        waits++;
        waitNanos += nanos;
        waitNanosMax = Math.max(waitNanosMax, nanos);
    }

    private void call() {
        called = true;
        notifyAll();
    }

    /** Charges for a page of the collector. */
    synchronized void chargeCollector(long bytes) {
        if (limitBytes - heldBytes < bytes) {
            throw new AssertionError(
                    "the reserve is enough for the collector: limitBytes="
                            + limitBytes
                            + ", heldBytes="
                            + heldBytes);
        }
        heldBytes += bytes;
    }

    /** A page was given back, or was smaller than charged for, or refused. */
    synchronized void refund(long bytes) {
        heldBytes -= bytes;
        if (waiting) {
            notifyAll();
        }
    }

    /** A page was refused: waits until the source may have changed its mind. */
    synchronized void awaitChange() throws InterruptedException {
        requireNoFailure();
        call();
        TimeUnit.MILLISECONDS.timedWait(this, 1);
    }

    /**
     * Waits until the collector is called.
     *
     * @return false if it is to end
     */
    synchronized boolean awaitCall() throws InterruptedException {
        while (!called && !closed) {
            wait();
        }
        called = false;
        return !closed;
    }

    /** Whether the mutator cannot go on. */
    synchronized boolean isShort() {
        return waiting;
    }

    /** Ends the collector. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }

    /** The collector ended by a failure. */
    synchronized void fail(Throwable thrown) {
        failure = thrown;
        notifyAll();
    }

    /** Throws if the collector failed. */
    synchronized void requireNoFailure() {
        if (failure != null) {
            throw new AssertionError("the collector failed: " + failure, failure);
        }
    }

    /** What pages take up. */
    synchronized long heldBytes() {
        return heldBytes;
    }

    /** How often the mutator had to wait. */
    synchronized long waits() {
        return waits;
    }

    /** How long, together. */
    synchronized long waitNanos() {
        return waitNanos;
    }

    /** How long at most. */
    synchronized long waitNanosMax() {
        return waitNanosMax;
    }
}
