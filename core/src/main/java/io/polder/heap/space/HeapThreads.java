package io.polder.heap.space;

import io.polder.background.Background;

/**
 * The threads that many heaps share; they are there while a heap needs them.
 *
 * @param compaction compacts one heap after the other, within their shares; while one is held up by
 *     its readers, another thread goes on with the others
 * @param room makes room in one full heap after the other; one that is held up by a reader of its
 *     heap does not hold up others, which get a thread of their own then
 */
public record HeapThreads(Background compaction, Background room) {
    private static final String COMPACTION = "polder-heap";
    private static final String ROOM = "polder-heap-room";

    /** Threads of their own. */
    public static HeapThreads fresh() {
        return new HeapThreads(new Background(COMPACTION), new Background(ROOM));
    }

    /**
     * Threads for all heaps of a process.
     *
     * @param telling where what fails is logged
     */
    public static HeapThreads shared(Background telling) {
        return new HeapThreads(new Background(COMPACTION, telling), new Background(ROOM, telling));
    }
}
