package io.polder.block;

import io.polder.memory.MemoryExhaustedException;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

/**
 * Blocks that are larger than any size class: a page each.
 *
 * <pre>{@code
 *        page           freed          a tick, and another           page is given
 *   ---------> used ---------> kept ---------------------> nobody's --------------> nothing
 *                ^               |
 *                +---------------+
 * }</pre>
 *
 * <p>They belong to no thread: any may free one, by one compare-and-set that decides. A page
 * that comes holds what blocks left, or zeros where others have had it, as what is kept does.
 *
 * <p>Ticks are asked for as long as there is any: they keep the pool of a block that is used from
 * becoming garbage, with memory that somebody may still free.
 *
 * <p>Freed ones are kept among the {@link EmptySpans} for a thread that allocates that size next;
 * for one that wants zeros they go by way of the pages, which clear what was touched. While
 * somebody waits for pages none is kept.
 *
 * <p>Invariant: every span that is used or kept has a page and is in the map.
 *
 * <p><b>Errors.</b> A page that an error meets on its way here, or away, is {@link Lost}. What is
 * freed is free whatever happens then.
 *
 * <p>Thread-safe: who frees a block, or takes what is kept, has its span.
 *
 * @param space knows whose an address is, and what is free
 * @param pages where they come from
 */
record LargeBlocks(BlockSpace space, PageSpace pages) {

    /**
     * Takes a span with a block, for the caller to hand out by a store: {@code used = 1}.
     *
     * @param bytes how much, within what address spaces have
     * @param zero whether it must read as zero
     * @param far whether it is likely to grow far
     * @throws MemoryExhaustedException if there is no memory for it
     */
    Span take(long bytes, boolean zero, boolean far) {
        Span again = space.empties.takeLarge(bytes);
        if (again != null && !zero) {
            return again;
        }
        if (again != null) {
            try { // pages know what to clear of it, and have it at hand
                long _ = space.empties.giveBack(again, false);
            } catch (Throwable failure) {
                if (again.page != null) {
                    space.lost.pageBytes += again.blockBytes;
                    again.page = null;
                }
                throw failure;
            }
        }
        Span span = Span.of(ThreadHeap.NOBODY);
        span.sizeClass = SizeClass.COUNT;
        long pageBytes = PageSpace.roundUp(bytes);
        try {
            span.page = pages.takeToGrow(bytes, zero, far);
            span.formatLarge();
            space.map.add(span);
            space.needsTick.run(); // ticks see it from here on
            return span;
        } catch (Throwable failure) {
            if (span.page != null) {
                space.lost.pageBytes += pageBytes;
                span.page = null;
            }
            throw failure;
        }
    }

    /**
     * Makes a block longer where it is, for the thread that has it.
     *
     * @return whether it has so many bytes now
     */
    boolean extend(Span span, long bytes) {
        Extent page = span.page;
        if (page == null) {
            return false;
        }
        try {
            return pages.extend(page, bytes);
        } finally {
            span.blockBytes = page.bytes(); // more than before, perhaps not as much as wanted
        }
    }

    /**
     * Frees a block.
     *
     * @return false if it was free already
     */
    boolean free(Span span) {
        if (!span.freeLarge()) {
            return false;
        }
        try {
            if (pages.isWaitedFor() || !space.empties.add(span)) {
                long _ = space.empties.giveBack(span, false);
            }
        } catch (Throwable later) { // it is free
            if (span.page != null) {
                space.lost.pageBytes += span.blockBytes;
                span.page = null;
            }
        }
        return true;
    }
}
