package io.polder.page.space;

import java.time.Duration;

/**
 * How long a thread waits in the queue for one page, however often it tries, and what it does
 * before it waits. Belongs to one thread.
 */
public final class Deadline {
    /** Longer than this, nobody waits. */
    private static final Duration ENDLESS = Duration.ofNanos(Long.MAX_VALUE);

    private final long beganNanos = System.nanoTime();
    private final long timeoutNanos;
    private final Runnable beforeWaiting;

    /**
     * One that begins now.
     *
     * @param timeoutNanos how long to wait at most, zero or more
     */
    public Deadline(long timeoutNanos) {
        this(timeoutNanos, () -> {});
    }

    /**
     * One that begins now.
     *
     * @param timeoutNanos how long to wait at most, zero or more
     * @param beforeWaiting is run, with no lock held, before the thread waits in the queue
     */
    public Deadline(long timeoutNanos, Runnable beforeWaiting) {
        this.timeoutNanos = timeoutNanos;
        this.beforeWaiting = beforeWaiting;
    }

    /**
     * What a user asks for; begins now.
     *
     * @param timeout how long to wait at most
     * @param beforeWaiting is run, with no lock held, before the thread waits in the queue
     * @throws IllegalArgumentException if the timeout is negative
     */
    public static Deadline after(Duration timeout, Runnable beforeWaiting) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("0 <= timeout: timeout=" + timeout);
        }
        long nanos = timeout.compareTo(ENDLESS) >= 0 ? Long.MAX_VALUE : timeout.toNanos();
        return new Deadline(nanos, beforeWaiting);
    }

    void beforeWaiting() {
        beforeWaiting.run();
    }

    /** How long it is in all. */
    long timeoutNanos() {
        return timeoutNanos;
    }

    /** How much of it is left; nothing from 0 down. */
    long leftNanos() {
        return timeoutNanos - (System.nanoTime() - beganNanos);
    }
}
