package io.polder.arena;

import io.polder.leak.LeakTracker;

/**
 * The owner that a confined arena has which is tracked for leaks, and no other. It lends no slab:
 * so the first allocation is one that leak detection is told of.
 */
final class TrackedOwner extends SlabOwner {
    private final LeakTracker tracker;

    TrackedOwner(SlabCache cache, LeakTracker tracker) {
        this.tracker = tracker;
        belongTo(cache);
        slowPath = true;
    }

    @Override
    LeakTracker tracker() {
        return tracker;
    }
}
