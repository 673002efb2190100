package io.polder.page.space;

import java.util.Arrays;

/**
 * How much a decay may uncommit, from what a space says of itself after each operation: what was
 * free for a whole period, during which nothing was committed.
 */
final class LowWaterModel {
    private final long[] least = new long[Decay.SLICES];
    private int at;
    private long leastNow;
    private long committedTotal;

    /** An operation has ended. */
    void look(PageFigures now) {
        leastNow = Math.min(leastNow, now.committedBytes() - now.takenBytes());
        if (now.committedTotalBytes() > committedTotal) {
            committedTotal = now.committedTotalBytes();
            leastNow = 0;
        }
    }

    /** A slice ends: how many bytes may be uncommitted at most. */
    long slice(PageFigures now) {
        least[at] = leastNow;
        at = (at + 1) % least.length;
        leastNow = now.committedBytes() - now.takenBytes();
        return Arrays.stream(least).min().orElseThrow();
    }

    /** This much was uncommitted at the end of the slice, which was free in all slices before. */
    void uncommitted(long bytes) {
        Arrays.setAll(least, i -> Math.max(0, least[i] - bytes));
        leastNow -= bytes;
    }
}
