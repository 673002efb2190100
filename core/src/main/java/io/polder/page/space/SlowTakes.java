package io.polder.page.space;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;

/**
 * The takes that were not served from memory at hand, and how long they took from there on. Only
 * those are timed: two looks at a clock are as dear as a take of a page that is at hand.
 *
 * <p>Thread-safe, without a lock: a virtual thread that met one here would wait until all others
 * that can run have done so, with its page.
 */
final class SlowTakes {
    final AtomicLong count = new AtomicLong();
    final AtomicLong totalNanos = new AtomicLong();
    final LongAccumulator longestNanos = new LongAccumulator(Math::max, 0);

    /** One has ended, and has its page. */
    void took(long nanos) {
        long _ = count.incrementAndGet();
        long _ = totalNanos.addAndGet(nanos);
        longestNanos.accumulate(nanos);
    }
}
