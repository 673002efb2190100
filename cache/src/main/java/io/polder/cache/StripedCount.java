package io.polder.cache;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A number to which threads add at every use: each at a {@linkplain Places place} of its own, at
 * once, where a {@code LongAdder} finds one when two threads have met.
 *
 * <p>Thread-safe.
 */
final class StripedCount {
    private final AtomicLongArray parts = new AtomicLongArray(Places.LENGTH);

    void increment() {
        long _ = parts.getAndIncrement(Places.of(Thread.currentThread().threadId()));
    }

    /** All parts, not of the same moment. */
    long sum() {
        long sum = 0;
        for (int i = 0; i < parts.length(); i++) {
            sum += parts.get(i);
        }
        return sum;
    }
}
