package io.polder.page.space;

import io.polder.background.Background;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryProvider;
import io.polder.page.PageStatistics;

/** Skeleton. */
@SuppressWarnings("DoNotCallSuggester")
public final class PageSpace implements AutoCloseable {

    /** A granule: the unit of everything here. */
    public static final long GRANULE_BYTES = MemoryProvider.REMAP_GRANULE_BYTES;

    /** A space without memory. Adds itself to the holders of the budget. */
    public PageSpace(
            MemoryProvider provider,
            MemoryBudget budget,
            Background background,
            PageSettings settings) {}

    /**
     * Takes a page of exactly so many bytes, rounded up to whole granules, without waiting in line.
     *
     * @param bytes from 1 on
     * @param zero whether it must read as zero
     * @throws IllegalArgumentException if bytes is not positive or beyond the address space
     * @throws MemoryExhaustedException if a limit or the system is in the way
     * @throws IllegalStateException if the space is closed
     */
    public Extent take(long bytes, boolean zero) {
        throw new UnsupportedOperationException();
    }

    /**
     * Takes the largest page between two powers of two that is contiguous now; if there is none,
     * one of the larger size is assembled.
     */
    public Extent take(long leastBytes, long mostBytes, boolean zero) {
        throw new UnsupportedOperationException();
    }

    /** Takes a page, waiting in line behind those who wait already. */
    public Extent takeInLine(long bytes, boolean zero, long timeoutNanos)
            throws InterruptedException {
        throw new UnsupportedOperationException();
    }

    /**
     * Gives a page back.
     *
     * @param dirtyBytes how much of it, from its front, may not be zero
     */
    public void give(Extent extent, long dirtyBytes) {
        throw new UnsupportedOperationException();
    }

    /** Announces that so many pages of this size will be taken soon. */
    public void expect(long bytes, int count) {
        throw new UnsupportedOperationException();
    }

    /** Uncommits all free memory, and releases address space that is free as a whole. */
    public long trim() {
        return 0;
    }

    /** What it is at this moment. */
    public PageStatistics statistics() {
        throw new UnsupportedOperationException();
    }

    /** One letter per granule. */
    public String map() {
        throw new UnsupportedOperationException();
    }

    /** Checks all invariants. */
    public void verify() {}

    /** Ends the waiting of those in line; hands out nothing any more. */
    public void shut() {}

    /**
     * Releases everything.
     *
     * @throws IllegalStateException if something is taken, or the system refuses
     */
    @Override
    public void close() {}
}
