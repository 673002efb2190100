package io.polder.gate;

import org.jspecify.annotations.Nullable;

/**
 * What a gate has seen. Not of one moment: each figure is read by itself.
 *
 * @param threads platform threads that have passed and were not seen to have ended
 * @param slots places for readers: those of threads, and free ones of threads that have ended
 * @param inside platform threads that are inside
 * @param virtualInside virtual threads that are inside; 0 where they are not counted apart
 * @param gracePeriods how often {@link Gate#synchronize} has returned
 * @param closes how often {@link Gate#close} has returned
 * @param endedInside critical sections that were ended because their thread had
 * @param longestWaitNanos the longest that anybody has waited for readers, in nanoseconds
 * @param longestInside the reader that is inside the longest; null if none is known to be
 * @param fence what orders readers and waiters, and why, in words
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
     * @param atLeastNanos how long it has been seen in this critical section: waiters look, and
     *     so does the thread that asks for statistics
     */
    public record Insider(String thread, long atLeastNanos) {}
}
