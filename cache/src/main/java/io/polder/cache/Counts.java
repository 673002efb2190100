package io.polder.cache;

import java.util.concurrent.atomic.AtomicLong;

/** How many entries there are, and what they take. Thread-safe. */
final class Counts {
    final AtomicLong entries = new AtomicLong();

    /** Of these, those that are not on probation. */
    final AtomicLong main = new AtomicLong();

    /** What entries take of the heap, with their handles. */
    final AtomicLong bytes = new AtomicLong();

    void added(long footprint) {
        entries.getAndIncrement();
        bytes.getAndAdd(footprint);
    }

    void removed(long footprint, int laneState) {
        entries.getAndDecrement();
        bytes.getAndAdd(-footprint);
        if (BucketLayout.isMain(laneState)) {
            main.getAndDecrement();
        }
    }
}
