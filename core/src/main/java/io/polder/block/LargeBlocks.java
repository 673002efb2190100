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
 * <p>They belong to no thread: any may free one, by one compare-and-set that decides. A page reads
 * as zero when it comes, since others may have had it; what is kept holds what a block left.
 *
 * <p>Ticks are asked for as long as there is any: they keep the pool of a block that is used from
 * becoming garbage, with memory that somebody may still free.
 *
 * <p>Freed ones of up to {@link #KEPT_GRANULES_MAX} granules are <i>kept</i>, as many of each size
 * in each row, for whoever allocates that size next, as have so many granules together. A thread
 * uses the row that its id names. They go with the second tick, a trim, and where a limit is in the
 * way of anybody. While somebody waits for pages none is kept.
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

    /**
     * Where the places of each size begin in a row, by granules; the last one is where the row
     * ends.
     */
    private static final int[] FIRST_PLACE = firstPlaces();

    /** Guessed: what is kept is to be little beside what programs with so large blocks have. */
    private static final int ROWS =
            Math.min(4, Integer.highestOneBit(Runtime.getRuntime().availableProcessors()));

    private final PageSpace pages;
    private final SpanMap map;
    private final BlockSpace.Listener listener;

    /** Held while pages of kept blocks are given: whoever drains misses none that a tick has. */
    private final Object givingBack = new Object();

    private final AtomicReferenceArray<@Nullable Span> kept =
            new AtomicReferenceArray<>(ROWS * FIRST_PLACE[KEPT_GRANULES_MAX + 1]);
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
        Span again = zero ? null : takeKept(granules(bytes));
        if (again != null) {
            return again;
        }
        reclaim();
        Span span = Span.large();
        boolean taken = false;
        try {
            link(span);
            span.page = pages.take(bytes, true);
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

    private static int[] firstPlaces() {
        int[] places = new int[KEPT_GRANULES_MAX + 2];
        for (int granules = 1; granules <= KEPT_GRANULES_MAX; granules++) {
            places[granules + 1] = places[granules] + KEPT_GRANULES_MAX / granules;
        }
        return places;
    }

    private static long granules(long bytes) {
        return (bytes + PageSpace.GRANULE_BYTES - 1) / PageSpace.GRANULE_BYTES;
    }

    /** Where the row of the running thread begins. */
    private static int row() {
        int row = (int) Thread.currentThread().threadId() & (ROWS - 1);
        return row * FIRST_PLACE[KEPT_GRANULES_MAX + 1];
    }

    private @Nullable Span takeKept(long granules) {
        if (granules > KEPT_GRANULES_MAX) {
            return null;
        }
        int row = row();
        int end = row + FIRST_PLACE[(int) granules + 1];
        for (int place = row + FIRST_PLACE[(int) granules]; place < end; place++) {
            Span span = kept.get(place) == null ? null : kept.getAndSet(place, null);
            if (span != null) {
                return span;
            }
        }
        return null;
    }

    /** Keeps a span that nobody has; returns false if there is no place for it. */
    private boolean keep(Span span) {
        long granules = granules(span.blockBytes);
        if (granules > KEPT_GRANULES_MAX || pages.isWaitedFor()) {
            return false;
        }
        int row = row();
        int end = row + FIRST_PLACE[(int) granules + 1];
        for (int place = row + FIRST_PLACE[(int) granules]; place < end; place++) {
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
            span.idle = false;
            if (!keep(span)) {
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

    /**
     * Gives back what is kept.
     *
     * @param wantedBytes as much at least, if there is
     * @return how many blocks
     */
    int drain(long wantedBytes) {
        synchronized (givingBack) {
            return drainLocked(wantedBytes);
        }
    }

    private int drainLocked(long wantedBytes) {
        reclaim();
        int given = 0;
        long bytes = 0;
        for (int place = 0; place < kept.length() && bytes < wantedBytes; place++) {
            Span span = kept.get(place);
            if (span != null && giveKept(place, span) > 0) {
                given++;
                bytes += span.blockBytes;
            }
        }
        return given;
    }

    /** The span of a block that has an address anywhere in it; {@link Span#NONE} if none has. */
    synchronized Span covering(long address) {
        for (Span span = first; span != null; span = span.next) {
            if (span.covers(address)) {
                return span;
            }
        }
        return Span.NONE;
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
