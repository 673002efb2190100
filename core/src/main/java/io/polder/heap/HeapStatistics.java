package io.polder.heap;

import org.jspecify.annotations.Nullable;

/**
 * What a heap holds, and has done since it was opened. Not of one moment: while threads use the
 * heap, each figure is read by itself.
 *
 * @param liveObjects objects that have not been freed; an object that is moved meanwhile may be
 *     counted twice, but is not missed
 * @param liveBytes what they take, with 8 bytes for each header and rounded up to 8 bytes
 * @param filledBytes what objects take that live, or are dead and not compacted away yet
 * @param regions pages with objects, or ready for some
 * @param regionBytes the size of these
 * @param tableBytes the size of the pages for handles
 * @param maxBytes the limit of the heap; {@code Long.MAX_VALUE} if it has none
 * @param cycles evacuation cycles
 * @param evacuatedObjects objects that were copied
 * @param evacuatedBytes what these took
 * @param helpedObjects how many of them were copied by threads that wanted to change them
 * @param pinnedObjects how often a thread made an object stay where it was, to change it
 * @param refusedCopies how often there was no room for a copy
 * @param outOfMemoryCycles cycles in which that happened
 * @param givenBackBytes pages that compaction gave back to the pool
 * @param compactionNanos how long compaction has worked, in nanoseconds
 * @param longestWaitNanos the longest that one use of an object has waited for its copy, or has
 *     copied it, in nanoseconds
 * @param longestGraceNanos the longest that compaction has waited for threads inside, in
 *     nanoseconds
 * @param longestInside the thread that has been reading or changing an object for the longest; null
 *     if none is known to be
 */
@SuppressWarnings("exports") // of an annotation that is there at compile time only
public record HeapStatistics(
        long liveObjects,
        long liveBytes,
        long filledBytes,
        int regions,
        long regionBytes,
        long tableBytes,
        long maxBytes,
        long cycles,
        long evacuatedObjects,
        long evacuatedBytes,
        long helpedObjects,
        long pinnedObjects,
        long refusedCopies,
        long outOfMemoryCycles,
        long givenBackBytes,
        long compactionNanos,
        long longestWaitNanos,
        long longestGraceNanos,
        @Nullable Insider longestInside) {

    /**
     * A thread that reads or changes an object.
     *
     * @param thread its name
     * @param atLeastNanos for how long it has been seen to, in nanoseconds: compaction looks when
     *     it waits, and so does whoever asks for statistics
     */
    public record Insider(String thread, long atLeastNanos) {}
}
