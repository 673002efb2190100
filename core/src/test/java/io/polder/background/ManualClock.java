package io.polder.background;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that a test turns. Who waits looks at it now and then. */
final class ManualClock implements Clock {
    private static final long LOOK_MILLIS = 1;

    private final AtomicLong now;

    /** Starts at any number, as {@link System#nanoTime} does. */
    ManualClock(long now) {
        this.now = new AtomicLong(now);
    }

    @Override
    public long nanoTime() {
        return now.get();
    }

    @Override
    public void await(Object monitor, long nanos) throws InterruptedException {
        TimeUnit.MILLISECONDS.timedWait(monitor, LOOK_MILLIS);
    }

    void advance(long nanos) {
        now.addAndGet(nanos);
    }
}
