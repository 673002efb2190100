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
 *             page          freed         a tick, and another          page is given
 *   coming ---------> used -------> kept ---------------------> gone ----------------> nothing
 *      |               ^             |                           ^
 *      |               +-------------+                           |
 *      +---- an error, before it was handed out -----------------+
 * }</pre>
 *
 * <p>They belong to no thread: any may free one, by one compare-and-set that decides. Their pages
 * need not be zero, so nothing is cleared where nobody asks for it.
 *
 * <p>Ticks are asked for as long as there is any: they keep the pool of a block that is used from
 * becoming garbage, with memory that somebody may still free.
 *
 * <p>Freed ones of up to {@link #KEPT_GRANULES_MAX} granules are <i>kept</i>, one of each size in
 * each row, for whoever allocates that size next. A thread uses the row that its id names. They go
 * with the second tick, a trim, and where a limit is in the way of anybody.
 *
 * <p>Invariant: every span of a large block is in the list from before it has a page until that was
 * given; it is used, kept, or marked {@link Span#empty}: then its page is to be given.
 *
 * <p><b>Errors.</b> What could not be given is given by the next who looks, see {@link #reclaim}.
 *
 * <p>Thread-safe. The lock guards the list, and is held for a few stores; that of a span is held
 * while its page is given. Before both comes the one that whoever gives back what is kept holds.
 */
final class LargeBlocks {
    /** What is larger is not kept. Guessed. */
    static final int KEPT_GRANULES_MAX = 8;

    /** No place. */
    private static final int NOWHERE = -1;

    /** Guessed: what is kept is to be little beside what programs with so large blocks have. */
    private static final int ROWS =
            Math.min(4, Integer.highestOneBit(Runtime.getRuntime().availableProcessors()));

    private final PageSpace pages;
    private final SpanMap map;
    private final BlockSpace.Listener listener;

    /** Held while pages of kept blocks are given: whoever drains misses none that a tick has. */
    private final Object givingBack = new Object();

    private final AtomicReferenceArray<@Nullable Span> kept =
            new AtomicReferenceArray<>(ROWS * KEPT_GRANULES_MAX);
    private @Nullable Span first;

    /** Whether one may be in the list that is gone. */
    volatile boolean owes;

    /**
     * None yet.
     *
     * @param pages where they come from
     * @param map knows whose an address is
     * @param listener is told when ticks are needed
     */
    LargeBlocks(PageSpace pages, SpanMap map, BlockSpace.Listener listener) {
        this.pages = pages;
        this.map = map;
        this.listener = listener;
    }

    /**
     * Takes a span with a block, for the caller to hand out by a store: {@code used = 1}. Who
     * cannot do so marks it {@link Span#empty}, and {@link #owes}.
     *
     * @param bytes how much, within what address spaces have
     * @param zero whether it must read as zero
     * @throws MemoryExhaustedException if there is no memory for it
     */
    Span take(long bytes, boolean zero) {
        int place = zero ? NOWHERE : place(bytes);
        Span again = place == NOWHERE ? null : kept.getAndSet(place, null);
        if (again != null) {
            return again;
        }
        reclaim();
        Span span = Span.large();
        boolean taken = false;
        try {
            link(span);
            span.page = pages.take(bytes, zero);
            span.formatLarge();
            map.add(span);
            listener.somethingFreed(); // ticks see it from here on
            taken = true;
            return span;
        } finally {
            if (!taken) {
                span.empty = true;
                owes = true;
            }
        }
    }

    /**
     * Where a span for so many bytes is kept by the running thread; {@link #NOWHERE} if nowhere.
     */
    private static int place(long bytes) {
        long granules = (bytes + PageSpace.GRANULE_BYTES - 1) / PageSpace.GRANULE_BYTES;
        if (granules > KEPT_GRANULES_MAX) {
            return NOWHERE;
        }
        int row = (int) Thread.currentThread().threadId() & (ROWS - 1);
        return row * KEPT_GRANULES_MAX + (int) granules - 1;
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
            int place = place(span.blockBytes);
            span.idle = false;
            if (place == NOWHERE || !kept.compareAndSet(place, null, span)) {
                span.empty = true;
                give(span);
            }
        } catch (Throwable later) {
            span.empty = true;
            owes = true; // it is freed, and whoever comes next does the rest
        }
        return true;
    }

    /** Gives back what has been kept since the last tick; returns whether any is kept still. */
    boolean tick() {
        synchronized (givingBack) {
            return tickLocked();
        }
    }

    private boolean tickLocked() {
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
        return keeps || owes;
    }

    /** Gives back all that is kept; returns how many blocks. */
    int drain() {
        synchronized (givingBack) {
            return drainLocked();
        }
    }

    private int drainLocked() {
        reclaim();
        int given = 0;
        for (int place = 0; place < kept.length(); place++) {
            Span span = kept.get(place);
            if (span != null) {
                given += giveKept(place, span);
            }
        }
        return given;
    }

    /** Whoever removes it has it; one that is cut off then has it stay in the list, owed. */
    private int giveKept(int place, Span span) {
        boolean given = false;
        boolean mine = false;
        try {
            mine = kept.compareAndSet(place, span, null);
            if (mine) {
                span.empty = true;
                give(span);
            }
            given = true;
            return mine ? 1 : 0;
        } finally {
            if (!given && mine) {
                span.empty = true;
                owes = true;
            }
        }
    }

    private void give(Span span) {
        synchronized (span) {
            Extent page = span.page;
            if (page != null) {
                map.remove(span);
                pages.give(page, page.bytes());
                span.page = null;
            }
        }
        unlink(span);
    }

    private synchronized void link(Span span) {
        Span second = first;
        span.next = second;
        if (second != null) {
            second.previous = span;
        }
        first = span;
    }

    private synchronized void unlink(Span span) {
        Span before = span.previous;
        Span after = span.next;
        if (before != null) {
            before.next = after;
        } else if (first == span) {
            first = after;
        }
        if (after != null) {
            after.previous = before;
        }
        span.previous = null;
        span.next = null;
    }

    /** Gives back what an error kept from being given. */
    void reclaim() {
        if (!owes) {
            return;
        }
        owes = false;
        boolean done = false;
        try {
            for (Span span = firstGone(); span != null; span = firstGone()) {
                give(span);
            }
            done = true;
        } finally {
            if (!done) {
                owes = true;
            }
        }
    }

    private synchronized @Nullable Span firstGone() {
        Span span = first;
        while (span != null && !span.empty) {
            span = span.next;
        }
        return span;
    }

    /** How many blocks are used, and how large they are together. */
    synchronized Sum sum() {
        long count = 0;
        long bytes = 0;
        for (Span span = first; span != null; span = span.next) {
            if (span.usedOpaque() > 0) {
                count++;
                bytes += span.blockBytes;
            }
        }
        return new Sum(count, bytes);
    }

    /**
     * Blocks.
     *
     * @param count how many
     * @param bytes how large they are together
     */
    record Sum(long count, long bytes) {}
}
