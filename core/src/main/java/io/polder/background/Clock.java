package io.polder.background;

import java.util.concurrent.TimeUnit;

/** Time, and how to wait for it; tests have one that they turn by hand. */
interface Clock {
    /** The time of the system. */
    Clock SYSTEM = new Clock() {};

    /** Nanoseconds since some moment, as by {@link System#nanoTime}. */
    default long nanoTime() {
        return System.nanoTime();
    }

    /**
     * Waits on a monitor that the caller holds, until it is notified or some time has passed; may
     * return before.
     *
     * @param nanos more than 0
     */
    default void await(Object monitor, long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.timedWait(monitor, nanos);
    }
}
