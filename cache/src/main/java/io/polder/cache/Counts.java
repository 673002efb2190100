package io.polder.cache;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** How many entries there are, what they take, and how often they are wanted. Thread-safe. */
final class Counts {
    final AtomicLong entries = new AtomicLong();

    /** Of these, those that are not on probation. */
    final AtomicLong main = new AtomicLong();

    /** What entries take of the heap, with their handles. */
    final AtomicLong bytes = new AtomicLong();

    private final AtomicLongArray striped = new AtomicLongArray(Places.LENGTH);

    /** How often a key was asked for that had an entry, and one that had none. */
    final StripedCount hits = new StripedCount(striped, 0);

    final StripedCount misses = new StripedCount(striped, 1);

    /** What was put that {@link Budget} has not added up yet. */
    final StripedCount putBytes = new StripedCount(striped, 2);

    void added(long footprint) {
        entries.getAndIncrement();
        bytes.getAndAdd(footprint);
    }

    /** What another entry of the same key takes beyond this one. */
    void replaced(long more) {
        if (more != 0) {
            bytes.getAndAdd(more);
        }
    }

    void removed(long footprint, int laneState) {
        entries.getAndDecrement();
        bytes.getAndAdd(-footprint);
        if (BucketLayout.isMain(laneState)) {
            main.getAndDecrement();
        }
    }
}
