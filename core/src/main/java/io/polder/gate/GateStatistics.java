package io.polder.gate;

import org.jspecify.annotations.Nullable;

/**
 * What a gate has seen. Not of one moment: each figure is read by itself.
 *
 * @param longestWaitNanos the longest that anybody has waited for readers, in nanoseconds
 * @param longestInside the reader that is inside the longest; null if none is known to be
 */
public record GateStatistics(long longestWaitNanos, @Nullable Insider longestInside) {

    /**
     * A platform thread that is inside.
     *
     * @param thread its name
     * @param atLeastNanos how long it has been seen in this critical section: waiters look, and
     *     so does the thread that asks for statistics
     */
    public record Insider(String thread, long atLeastNanos) {}
}
