package io.polder.heap.space;

import io.polder.heap.HeapStatistics;

import org.jspecify.annotations.Nullable;

/**
 * The statistics of a heap, put together from what its parts count: what {@link HeapStatistics}
 * say, and no more, so that the text has what can be asked for.
 */
public record HeapFigures(
        int number,
        long liveObjects,
        long liveBytes,
        long filledBytes,
        long regionBytes,
        long tableBytes,
        long maxBytes,
        long cycles,
        long evacuatedBytes,
        long outOfMemoryCycles,
        long waitsForAnotherCopy,
        long givenBackBytes,
        long compactionNanos,
        long longestWaitNanos,
        @Nullable String longestInsideThread,
        long longestInsideNanos)
        implements HeapStatistics {}
