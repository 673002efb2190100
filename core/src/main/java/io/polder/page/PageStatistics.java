package io.polder.page;

import java.util.List;

/**
 * What the pages of a pool are, at one moment. All sizes are in bytes; {@code taken <= committed},
 * and {@code committed == taken + freeCommitted}.
 *
 * @param reservedBytes address space
 * @param committedBytes memory touched, or about to be, and not given back
 * @param committedTotalBytes memory committed so far
 * @param uncommittedTotalBytes memory given back to the operating system so far
 * @param refusals calls that the operating system refused so far
 * @param takenBytes the pages that somebody has, closed ones that views keep included
 * @param takenPages how many
 * @param keptByViews how many of them are closed, and wait for a view to end
 * @param freeCommittedBytes memory that waits for the next to take it, or for the decay; what the
 *     background has isolated included
 * @param freeDirtyBytes how much of that does not read as zero
 * @param freeRuns the contiguous free memory by size
 * @param largestRunBytes the largest of it
 * @param waiting threads that wait in the queue, for a page or for memory of arenas
 * @param mix what was taken so far, by size
 * @param slowTakes which of that was not at hand, and how long it took
 * @param assembledOnAllocation how often a thread that took a page had to assemble it
 * @param assembledInBackground how often a run was assembled ahead
 * @param movedBytes memory moved for that, without copying it
 * @param mappingsMax mappings of the process that the pages cost at most now
 * @param mappingsLimit what that stays within
 */
public record PageStatistics(
        long reservedBytes,
        long committedBytes,
        long committedTotalBytes,
        long uncommittedTotalBytes,
        long refusals,
        long takenBytes,
        int takenPages,
        int keptByViews,
        long freeCommittedBytes,
        long freeDirtyBytes,
        List<Runs> freeRuns,
        long largestRunBytes,
        int waiting,
        List<Taken> mix,
        SlowTakes slowTakes,
        long assembledOnAllocation,
        long assembledInBackground,
        long movedBytes,
        long mappingsMax,
        long mappingsLimit) {

    /** Makes the lists unmodifiable. */
    public PageStatistics {
        freeRuns = List.copyOf(freeRuns);
        mix = List.copyOf(mix);
    }

    /**
     * Contiguous free memory of one size class.
     *
     * @param leastBytes the least size, a power of two; the class ends below twice of it
     * @param count how many runs
     * @param bytes their size together
     */
    public record Runs(long leastBytes, int count, long bytes) {}

    /**
     * Pages taken of one size class.
     *
     * @param mostBytes the greatest size, a power of two; the class begins above half of it
     * @param count how many were taken so far
     * @param bytes their size together
     */
    public record Taken(long mostBytes, long count, long bytes) {}

    /**
     * Takes on the slow path: memory was not at hand in one run, and had to be committed,
     * assembled, made room for or waited for; or it did not read as zero, and had to. Timed from
     * there until the page was handed out. All other takes are as short as two looks at a clock,
     * and are not timed. Takes that were refused are not counted.
     *
     * @param count how many so far
     * @param totalNanos what they took together, in nanoseconds
     * @param longestNanos what the longest of them took, in nanoseconds; 0 if there was none
     */
    public record SlowTakes(long count, long totalNanos, long longestNanos) {}
}
