package io.polder.heap.space;

/**
 * What a heap has counted beyond its statistics.
 *
 * @param regions how many there are
 * @param evacuatedObjects how often a copy of an object was published
 * @param helpedObjects those of the evacuated ones that threads copied which wanted to change them
 * @param pinnedObjects how often a thread made an object stay where it was, to change it
 * @param refusedCopies how often there was no room for a copy
 * @param longestGraceNanos the longest that compaction has waited for threads inside
 */
public record HeapCounts(
        int regions,
        long evacuatedObjects,
        long helpedObjects,
        long pinnedObjects,
        long refusedCopies,
        long longestGraceNanos) {
    /** The counts of this moment. */
    public static HeapCounts of(HeapSpace heap) {
        return new HeapCounts(
                heap.regions.list().size(),
                heap.counts.copiedObjects.sum(),
                heap.counts.helpedObjects.sum(),
                heap.counts.pinnedObjects.sum(),
                heap.counts.refusedCopies.sum(),
                heap.access.statistics().longestWaitNanos());
    }
}
