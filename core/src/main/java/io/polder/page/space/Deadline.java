package io.polder.page.space;

/**
 * How long a thread waits in line for one page, however often it tries, and what it does before it
 * waits. Belongs to one thread.
 */
public final class Deadline {
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
     * @param beforeWaiting is run, with no lock held, before the thread stands in line
     */
    public Deadline(long timeoutNanos, Runnable beforeWaiting) {
        this.timeoutNanos = timeoutNanos;
        this.beforeWaiting = beforeWaiting;
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
