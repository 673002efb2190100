package io.polder.lab.experiments.pages;

import org.jspecify.annotations.Nullable;

/** Where a heap has its pages from. Thread-safe but for {@link #close}. */
interface PageSource extends AutoCloseable {
    /**
     * A page that somebody has.
     *
     * @param address of the first byte
     * @param bytes its size
     * @param page what the source knows it by
     */
    record Taken(long address, long bytes, Object page) {}

    /**
     * What a source has, and did so far.
     *
     * @param committedBytes memory it holds, in pages or free
     * @param freeBytes how much of it is free
     * @param readyBytes how much of that is contiguous, in runs of 32 MiB and more
     * @param assembledOnAllocation pages that were put together by the thread that took them
     * @param assembledAhead runs that were put together by others
     * @param movedBytes memory moved for both
     */
    record Holdings(
            long committedBytes,
            long freeBytes,
            long readyBytes,
            long assembledOnAllocation,
            long assembledAhead,
            long movedBytes) {}

    /**
     * Takes a page, whatever it reads as; null if it is refused.
     *
     * @param leastBytes the smallest that will do, a power of two
     * @param mostBytes the largest that is wanted, a power of two
     */
    @Nullable Taken take(long leastBytes, long mostBytes);

    /**
     * Gives a page back.
     *
     * @param dirtyBytes how much of it, from its front, may not be zero
     */
    void give(Taken page, long dirtyBytes);

    /** Announces that so many pages of a size will be taken soon. */
    void expect(long bytes, int count);

    /** What it has, at this moment. */
    Holdings holdings();

    /** Checks its invariants. */
    void verify();

    /** Releases everything; nothing may be taken. */
    @Override
    void close();
}
