package io.polder.heap;

import io.polder.heap.space.HeapFigures;

import org.jspecify.annotations.Nullable;

/**
 * What a heap holds, and has done since it was opened. Not of one moment: while threads use the
 * heap, each figure is read by itself. Sizes are in bytes, times in nanoseconds. Later versions may
 * say more.
 */
public sealed interface HeapStatistics permits HeapFigures {
    /** The first heap that its pool opened is 1, the next one 2. */
    int number();

    /**
     * Objects that have not been freed; an object that is moved meanwhile may be counted twice, but
     * is not missed.
     */
    long liveObjects();

    /**
     * What they take, with 8 bytes for each header, 16 where an object has more than 4 MiB, and
     * rounded up to 8 bytes.
     */
    long liveBytes();

    /** What objects take that live, or are dead and not compacted away yet. */
    long filledBytes();

    /** The size of the pages with objects, or ready for some. */
    long regionBytes();

    /** The size of the pages for handles. */
    long tableBytes();

    /** The heap's own limit; -1 if it has none, but that of its pool. */
    long maxBytes();

    /** Evacuation cycles. */
    long cycles();

    /** What the objects took that were copied. */
    long evacuatedBytes();

    /** Cycles in which there was no room for a copy. */
    long outOfMemoryCycles();

    /**
     * How often a thread that was about to change an object has waited for copies that others were
     * making. With {@link EvacuationFailurePolicy#PIN} nobody does.
     */
    long waitsForAnotherCopy();

    /** Pages that compaction emptied: the pool has them, or they are kept to move objects to. */
    long givenBackBytes();

    /** How long compaction has worked. */
    long compactionNanos();

    /** The longest that one use of an object has waited for its copy, or has copied it. */
    long longestWaitNanos();

    /**
     * The name of the thread that has been reading or changing an object for the longest; null if
     * none is known to be.
     */
    @SuppressWarnings("exports") // of an annotation that is there at compile time only
    @Nullable String longestInsideThread();

    /**
     * For how long that has been seen to, at least: compaction looks when it waits, and so does
     * the thread that asks for statistics.
     */
    long longestInsideNanos();
}
