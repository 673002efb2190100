package io.polder.block;

import io.polder.memory.MemoryExhaustedException;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicReferenceArray;

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
 * <p>Freed ones of up to {@link #KEPT_GRANULES_MAX} granules are <i>kept</i> for a thread that
 * allocates that size next, for all threads together: they spend much more time in such a block
 * than here. The larger a span, the fewer of the first places are for it, and it takes the last of
 * those that is free. They go with the second tick, a trim, and where a limit is in the way of
 * anybody. While somebody waits for pages none is kept.
 *
 * <p>Invariant: every span that is used or kept has a page and is in the map.
 *
 * <p><b>Errors.</b> A page that an error meets on its way here, or away, is {@link Lost}. What is
 * freed is free whatever happens then.
 *
 * <p>Thread-safe: who removes a span from its place has it. A thread that gives back what is kept
 * holds a lock, and takes that of the map and those of pages.
 */
final class LargeBlocks {
    /** What is larger is not kept. Guessed. */
    static final int KEPT_GRANULES_MAX = 8;

    /**
     * How many are kept. Measured, with 32 blocks of 64 KiB to 4 MiB that are replaced at random:
     * an operation takes 1.8 us, 2.3 with 16 places, and 2.9 with eight for each size.
     */
    static final int PLACES = 24;

    private final PageSpace pages;
    private final SpanMap map;
    private final Runnable needsTick;
    private final Lost lost;

    private final AtomicReferenceArray<@Nullable Span> kept = new AtomicReferenceArray<>(PLACES);

    /**
     * None yet.
     *
     * @param pages where they come from
     * @param map knows whose an address is
     * @param needsTick is run when ticks are needed
     * @param lost gets what errors lose
     */
    LargeBlocks(PageSpace pages, SpanMap map, Runnable needsTick, Lost lost) {
        this.pages = pages;
        this.map = map;
        this.needsTick = needsTick;
        this.lost = lost;
    }

    /**
     * Takes a span with a block, for the caller to hand out by a store: {@code used = 1}.
     *
     * @param bytes how much, within what address spaces have
     * @param zero whether it must read as zero
     * @throws MemoryExhaustedException if there is no memory for it
     */
    Span take(long bytes, boolean zero) {
        Span again = zero ? null : takeKept(granules(bytes));
        if (again != null) {
            return again;
        }
        Span span = Span.large();
        long pageBytes = PageSpace.roundUp(bytes);
        try {
            span.page = pages.takeToGrow(bytes, zero);
            span.formatLarge();
            map.add(span);
            needsTick.run(); // ticks see it from here on
            return span;
        } catch (Throwable failure) {
            if (span.page != null) {
                lost.pageBytes += pageBytes;
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

    private static long granules(long bytes) {
        return (bytes + PageSpace.GRANULE_BYTES - 1) / PageSpace.GRANULE_BYTES;
    }

    /** How many places are for spans of this size, from its first one on. */
    private static int places(long granules) {
        return granules > KEPT_GRANULES_MAX ? 0 : (int) (PLACES / granules);
    }

    private @Nullable Span takeKept(long granules) {
        for (int place = places(granules) - 1; place >= 0; place--) {
            Span span = kept.get(place);
            if (span != null
                    && granules(span.blockBytes) == granules
                    && kept.compareAndSet(place, span, null)) {
                return span;
            }
        }
        return null;
    }

    /** Keeps a span that nobody has; returns false if there is no place for it. */
    private boolean keep(Span span) {
        int places = pages.isWaitedFor() ? 0 : places(granules(span.blockBytes));
        span.idle = false;
        for (int place = places - 1; place >= 0; place--) {
            if (kept.get(place) == null && kept.compareAndSet(place, null, span)) {
                return true;
            }
        }
        return false;
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
            if (!keep(span)) {
                give(span);
            }
        } catch (Throwable later) { // it is free
            if (span.page != null) {
                lost.pageBytes += span.blockBytes;
                span.page = null;
            }
        }
        return true;
    }

    /** Gives back what has been kept since the last tick; returns whether any is kept still. */
    synchronized boolean tick() {
        boolean keeps = false;
        for (int place = 0; place < kept.length(); place++) {
            Span span = kept.get(place);
            if (span != null && span.idle) {
                giveKept(place, span);
            } else if (span != null) {
                span.idle = true;
                keeps = true;
            }
        }
        return keeps;
    }

    /**
     * Gives back what is kept.
     *
     * @param wantedBytes as much at least, if there is
     * @return how many blocks
     */
    synchronized int drain(long wantedBytes) {
        int given = 0;
        long bytes = 0;
        for (int place = 0; place < kept.length() && bytes < wantedBytes; place++) {
            Span span = kept.get(place);
            if (span != null && giveKept(place, span)) {
                given++;
                bytes += span.blockBytes;
            }
        }
        return given;
    }

    /** Gives one back, unless another thread has taken it from its place. */
    private boolean giveKept(int place, Span span) {
        if (!kept.compareAndSet(place, span, null)) {
            return false;
        }
        try {
            give(span);
        } finally {
            if (span.page != null) {
                lost.pageBytes += span.blockBytes;
                span.page = null;
            }
        }
        return true;
    }

    /** Gives the page of a span back that only the running thread has: then it has none. */
    private void give(Span span) {
        Extent page = span.page;
        if (page != null) {
            map.remove(span);
            pages.give(page, page.bytes());
            span.page = null;
        }
    }
}
