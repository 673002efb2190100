package io.polder.page.space;

/**
 * How much of the free memory of a space nobody has needed for a while, in granules: the low water
 * marks of what is free, for {@link Decay} since its last slice and for the {@link Defragmenter}
 * since its last tick.
 *
 * <p>Guarded by the lock of the {@link PageState}.
 */
final class IdleMemory {
    /** The least that was free or isolated since the last slice; 0 if memory was committed. */
    private long leastFree;

    /** The least that was free with memory behind it since the last tick. */
    private long leastWarm;

    /** Memory was committed: all that was free had been needed. */
    void grew() {
        leastFree = 0;
    }

    /**
     * Less may be free now than ever in this slice.
     *
     * @param free with what is isolated: that is on its way to be free again
     */
    void fell(long free) {
        leastFree = Math.min(leastFree, free);
    }

    /** Some of what is warm was taken, and this much is left. */
    void taken(long warmFree) {
        leastWarm = Math.min(leastWarm, warmFree);
    }

    /** Begins a slice; returns the least that was free in the last one, 0 if memory was short. */
    long nextSlice(long free) {
        long least = Math.min(leastFree, free);
        leastFree = free;
        return least;
    }

    /** Begins a tick; returns the least that was free with memory in the last one. */
    long nextTick(long warmFree) {
        long least = Math.min(leastWarm, warmFree);
        leastWarm = warmFree;
        return least;
    }
}
