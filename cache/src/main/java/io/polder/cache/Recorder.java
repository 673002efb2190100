package io.polder.cache;

import java.util.concurrent.atomic.LongAdder;

/** Counts what is asked of a cache, if it is to be counted. Thread-safe. */
final class Recorder {
    private final boolean on;
    final LongAdder hits = new LongAdder();
    final LongAdder misses = new LongAdder();
    final LongAdder loads = new LongAdder();
    final LongAdder loadFailures = new LongAdder();
    final LongAdder loadNanos = new LongAdder();

    /** Counted in any case: it is rare. */
    final LongAdder refusedPuts = new LongAdder();

    Recorder(boolean on) {
        this.on = on;
    }

    void asked(boolean hit) {
        if (on) {
            (hit ? hits : misses).increment();
        }
    }

    void asked(long hitCount, long missCount) {
        if (on) {
            hits.add(hitCount);
            misses.add(missCount);
        }
    }

    void loaded(boolean success, long nanos) {
        if (on) {
            (success ? loads : loadFailures).increment();
            loadNanos.add(nanos);
        }
    }
}
