package io.polder.page.space;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * How long a thread waits in the queue for one page, however often it tries, and how it makes room
 * meanwhile. Belongs to one thread.
 *
 * @param beganNanos when it began
 * @param timeoutNanos how long it is in all
 * @param makeRoom makes room; says whether there is any that there was not
 */
public record Deadline(long beganNanos, long timeoutNanos, BooleanSupplier makeRoom) {
    /**
     * One that begins now.
     *
     * @param timeoutNanos how long to wait at most, zero or more
     * @param makeRoom is asked for room, with no lock held, before the thread waits in the queue,
     *     and whenever it has tried in vain; says whether it made any
     */
    public Deadline(long timeoutNanos, BooleanSupplier makeRoom) {
        this(System.nanoTime(), timeoutNanos, makeRoom);
    }

    /**
     * What a user asks for; begins now.
     *
     * @param timeout how long to wait at most
     * @param makeRoom is asked for room, with no lock held, before the thread waits in the queue,
     *     and whenever it has tried in vain; says whether it made any
     * @throws IllegalArgumentException if the timeout is negative
     */
    public static Deadline after(Duration timeout, BooleanSupplier makeRoom) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("0 <= timeout: timeout=" + timeout);
        }
        return new Deadline(TimeUnit.NANOSECONDS.convert(timeout), makeRoom);
    }

    /** How much of it is left; nothing from 0 down. */
    long leftNanos() {
        return timeoutNanos - (System.nanoTime() - beganNanos);
    }
}
