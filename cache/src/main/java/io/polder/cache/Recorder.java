package io.polder.cache;

import java.util.concurrent.atomic.LongAdder;

/** Counts what is asked of a cache, if it is to be counted. Thread-safe. */
final class Recorder {
    final boolean on;

    /** Hits and misses are counted there in any case. */
    private final Counts counts;

    final LongAdder loads = new LongAdder();
    final LongAdder loadFailures = new LongAdder();
    final LongAdder loadNanos = new LongAdder();

    /** Counted in any case: it is rare. */
    final LongAdder refusedPuts = new LongAdder();

    Recorder(boolean on, Counts counts) {
        this.on = on;
        this.counts = counts;
    }

    void asked(boolean hit) {
        (hit ? counts.hits : counts.misses).increment();
    }

    long hits() {
        return on ? counts.hits.sum() : 0;
    }

    long misses() {
        return on ? counts.misses.sum() : 0;
    }

    void loaded(boolean success, long nanos) {
        if (on) {
            (success ? loads : loadFailures).increment();
            loadNanos.add(nanos);
        }
    }
}
