package io.polder.page;

import io.polder.page.space.PageFigures;

import java.util.List;

/**
 * What the pages of a pool are, at one moment. All sizes are in bytes; what is
 * committed and not taken waits for the next to take it, or for the decay, or the background has
 * isolated it. Later versions may say more.
 */
public sealed interface PageStatistics permits PageFigures {
    /** Address space. */
    long reservedBytes();

    /** Memory touched, or about to be, and not given back. */
    long committedBytes();

    /** Memory committed so far. */
    long committedTotalBytes();

    /** Memory given back to the operating system so far. */
    long uncommittedTotalBytes();

    /** The pages that somebody has, closed ones that views keep included. */
    long takenBytes();

    /** How many. */
    int takenPages();

    /** How many of them are closed, and wait for a view to end. */
    int keptByViews();

    /** How much of what is committed and not taken does not read as zero. */
    long freeDirtyBytes();

    /** The contiguous free memory by size; a class ends below twice its size. */
    List<SizeClass> freeRuns();

    /** Threads that wait in the queue for a page. */
    int waiting();

    /** What was taken so far, by size; a class begins above half of its size. */
    List<SizeClass> mix();

    /**
     * How many pages were not at hand: memory was not there in one run, and had to be committed,
     * assembled, made room for or waited for; or it did not read as zero, and had to. Those that
     * were refused are not counted.
     */
    long slowTakes();

    /**
     * How long these took together, in nanoseconds: from when they were found not to be at hand
     * until they were handed out. All others are as short as two looks at a clock, and are not
     * timed.
     */
    long slowTakeNanos();

    /** How long the longest of these took, in nanoseconds; 0 if there was none. */
    long longestTakeNanos();

    /** How often a thread that took a page had to assemble it. */
    long assembledOnAllocation();

    /** How often a run was assembled ahead. */
    long assembledInBackground();

    /** Memory moved for that, without copying it. */
    long movedBytes();

    /** Mappings of the process that the pages cost at most now. */
    long mappingsMax();

    /**
     * The most that {@link #mappingsMax} may become: a part of what the system allows a process.
     */
    long mappingsLimit();

    /** Chunks, pages or free runs of about one size. */
    sealed interface SizeClass permits PageFigures.SizeClass {
        /** That size, a power of two. */
        long sizeBytes();

        /** How many. */
        long count();

        /** The memory behind them. */
        long bytes();
    }
}
