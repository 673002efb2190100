package io.polder.cache;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A number to which threads add at every use: each at its {@linkplain Places place} at once, where
 * a {@code LongAdder} finds one when two threads have met.
 *
 * <p>Some such numbers lie side by side: a thread that adds to one of them adds to others.
 *
 * <p>Thread-safe.
 */
final class StripedCount {
    private final AtomicLongArray parts;
    private final int offset;

    /**
     * Zero.
     *
     * @param parts of all numbers that lie side by side, {@link Places#LENGTH} long
     * @param offset which of them it is
     */
    StripedCount(AtomicLongArray parts, int offset) {
        this.parts = parts;
        this.offset = offset;
    }

    void increment() {
        long _ = add(1);
    }

    /** Returns the part at the running thread's place. */
    long add(long more) {
        int place = Places.of(Thread.currentThread().threadId());
        return parts.addAndGet(place + offset, more);
    }

    /** All parts, not of the same moment. */
    long sum() {
        long sum = 0;
        for (int place = Places.STRIDE; place < Places.LENGTH; place += Places.STRIDE) {
            sum += parts.get(place + offset);
        }
        return sum;
    }
}
