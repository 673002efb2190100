package io.polder.cache;

import java.util.concurrent.atomic.AtomicLong;

/** How many entries there are, what they take, and how often they are wanted. Thread-safe. */
final class Counts {
    final AtomicLong entries = new AtomicLong();

    /** Of these, those that are not on probation. */
    final AtomicLong main = new AtomicLong();

    /** What entries take of the heap, with their handles. */
    final AtomicLong bytes = new AtomicLong();

    /** How often a key was asked for that had an entry, and one that had none. */
    final StripedCount hits = new StripedCount();

    final StripedCount misses = new StripedCount();

    void added(long footprint) {
        entries.getAndIncrement();
        bytes.getAndAdd(footprint);
    }

    /** Another entry of the same key takes so much more. */
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
