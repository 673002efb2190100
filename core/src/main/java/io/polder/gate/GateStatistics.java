package io.polder.gate;

import org.jspecify.annotations.Nullable;

/**
 * What a gate has seen. Not of one moment: each figure is read by itself.
 *
 * @param threads platform threads that have passed and were not seen to have ended
 * @param slots visitors there is room for: threads, and those that ended and whose room is free
 * @param inside platform threads that are inside
 * @param virtualInside virtual threads that are inside; 0 where they are not counted apart
 * @param gracePeriods how often {@link Gate#awaitEarlier} has returned
 * @param closes how often {@link Gate#close} has returned
 * @param endedInside visits that were ended because their thread had
 * @param longestWaitNanos the longest that anybody has waited for those inside, in nanoseconds
 * @param longestInside who is inside the longest; null if nobody is known to be
 * @param fence what orders visits and those who wait, and why, in words
 */
public record GateStatistics(
        int threads,
        int slots,
        int inside,
        long virtualInside,
        long gracePeriods,
        long closes,
        long endedInside,
        long longestWaitNanos,
        @Nullable Insider longestInside,
        String fence) {

    /**
     * A platform thread that is inside.
     *
     * @param thread its name
     * @param atLeastNanos how long it has been seen in this visit: those who wait for it look, and
     *     those who ask for statistics
     */
    public record Insider(String thread, long atLeastNanos) {}
}
