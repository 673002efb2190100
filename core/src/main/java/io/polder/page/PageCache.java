package io.polder.page;

import io.polder.leak.Kind;
import io.polder.leak.Watch;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryExhaustedException;
import io.polder.page.space.Deadline;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Large native memory of a pool, in pages: for buffers of megabytes, and for whoever builds an
 * allocator of its own.
 *
 * <p>A <em>page</em> is contiguous and has a whole number of <em>granules</em> of 2 MiB. Splitting
 * free memory costs nothing, and what is given back is coalesced with its free neighbours at once.
 * Where free memory is in pieces, a contiguous run is <em>assembled</em> by moving page tables:
 * nothing is copied. The background keeps runs ready for the sizes that were asked for lately or
 * are {@linkplain #expect announced}, so that {@link #take(long) take} rarely has to.
 *
 * {@snippet class="PoolSnippets" region="page"}
 *
 * <p>A page reads as zero when it is taken. Free memory stays committed for the decay of the pool
 * and is given back to the operating system then, little by little, unless it is needed.
 *
 * <p>The limits of the pool hold for its pages and its arenas together. Before a page is refused,
 * deferred arenas that wait for it are closed for good, by the thread that wants the page: it runs
 * their cleanup actions then. Where memory can be neither
 * moved nor uncommitted (other systems than Linux), each page is allocated by itself.
 *
 * <p>Whatever is thrown, also an error of the JVM: a take that throws has taken nothing. A give
 * that throws has not given; one that returns has. A view ends with its arena; should an error in
 * the middle of the close keep that from being told, the page comes back with the next use of the
 * cache, or a trim, if the arena was confined, and is kept for ever otherwise.
 *
 * <p>Thread-safe. The pool has it: {@code MemoryPool.pages()}.
 */
public final class PageCache {
    /** The size of a granule, 2 MiB: the size of each page is a multiple of it. */
    public static final long GRANULE_BYTES = PageSpace.GRANULE_BYTES;

    /** How often room is made for one page, which others may take. */
    private static final int ATTEMPTS_MAX = 8;

    /** Longer than this, nobody waits. */
    private static final Duration ENDLESS = Duration.ofNanos(Long.MAX_VALUE);

    private final PageSpace space;
    private final Exhaustion exhaustion;

    /**
     * Guards the list of pages that were given and whose memory is not back yet, and of those that
     * are being taken.
     */
    final Object list = new Object();

    @Nullable Page first;

    /** Whether a page may be on the list, or a view, that an error kept from ending. */
    volatile boolean owes;

    private final @Nullable Watch watch;

    /**
     * For the pool.
     *
     * @param space where pages come from
     * @param exhaustion is asked for room before a page is refused, and told when it is
     */
    @SuppressWarnings("exports") // nobody else can have such a space
    public PageCache(PageSpace space, Exhaustion exhaustion) {
        this(space, exhaustion, null);
    }

    /**
     * For the pool.
     *
     * @param space where pages come from
     * @param exhaustion is asked for room before a page is refused, and told when it is
     * @param watch finds pages that are not given; null if nobody wants to know
     */
    @SuppressWarnings("exports") // nobody else can have such a space
    public PageCache(PageSpace space, Exhaustion exhaustion, @Nullable Watch watch) {
        this.space = space;
        this.exhaustion = exhaustion;
        this.watch = watch;
        space.beforeTrim(this::settle);
    }

    /**
     * Takes a page. Does not wait for memory, and so may pass threads that wait in line.
     *
     * @param bytes from 1 up; rounded up to whole granules
     * @return a page that reads as zero
     * @throws IllegalArgumentException if {@code bytes} is not positive, or beyond the address
     *     space
     * @throws OutOfMemoryError if a limit of the pool is in the way, or the operating system; says
     *     which. So too if the machine has not so much, where {@code malloc} is refused as well
     * @throws IllegalStateException if the pool is closed
     */
    public Page take(long bytes) {
        return take(() -> space.take(bytes, true));
    }

    /**
     * Takes the largest page between two sizes that is to be had at once: whole, or halved as often
     * as needed. For owners who can do with less.
     *
     * @param leastBytes the least size, a power of two, 2 MiB or more
     * @param mostBytes the greatest size, a power of two, not less
     * @return a page that reads as zero
     * @throws IllegalArgumentException if the sizes are not as said
     * @throws OutOfMemoryError if not even the least size can be had; says why
     * @throws IllegalStateException if the pool is closed
     */
    public Page take(long leastBytes, long mostBytes) {
        return take(() -> space.take(leastBytes, mostBytes, true));
    }

    /**
     * Takes a page, and waits for memory if there is not enough: first come, first served.
     *
     * @param bytes from 1 up; rounded up to whole granules
     * @param timeout how long to wait at most, zero or more
     * @return a page that reads as zero
     * @throws IllegalArgumentException if {@code bytes} is not positive, or beyond the address
     *     space, or the timeout negative
     * @throws OutOfMemoryError if the time is over; names the limit, or what the operating system
     *     refused
     * @throws InterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if the pool is closed, before or while the thread waits
     */
    public Page take(long bytes, Duration timeout) throws InterruptedException {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("0 <= timeout: timeout=" + timeout);
        }
        long timeoutNanos = timeout.compareTo(ENDLESS) >= 0 ? Long.MAX_VALUE : timeout.toNanos();
        Deadline deadline = new Deadline(timeoutNanos, exhaustion::makeRoom);
        return take(() -> space.takeOrWait(bytes, true, deadline));
    }

    /** One of the ways to have memory. */
    private interface Attempt<E extends Exception> {
        Extent take() throws E;
    }

    private <E extends Exception> Page take(Attempt<E> attempt) throws E {
        settleOwed();
        Page page = new Page(this, watch == null ? null : watch.always(Kind.PAGE));
        list(page);
        boolean taken = false;
        try {
            for (int left = ATTEMPTS_MAX; page.extent == null; left--) {
                try {
                    page.extent = attempt.take();
                } catch (MemoryExhaustedException exhausted) {
                    if (left == 0 || !exhaustion.makeRoom()) {
                        exhaustion.exhausted(exhausted);
                        throw exhausted.toOutOfMemoryError();
                    }
                }
            }
            page.describe();
            unlist(page);
            taken = true;
            return page;
        } finally {
            if (!taken) {
                page.discarded = true;
                owes = true;
            }
        }
    }

    /**
     * Gives a page back. Its views stay valid: while one is alive the page is kept, and its memory
     * goes back when the arena of the last one is closed.
     *
     * @param page a page of this cache, which gets no views any more
     * @throws IllegalArgumentException if the page is of another cache
     * @throws IllegalStateException if it was given already
     */
    public void give(Page page) {
        if (page.cache() != this) {
            throw new IllegalArgumentException(
                    "a page must be given to the cache it was taken from: page=" + page);
        }
        settleOwed();
        page.markGiven();
        viewEnded(page);
    }

    /**
     * Gives the memory of a page back, if it was given and has no view. What keeps that from being
     * done is not the caller's concern any more.
     */
    void viewEnded(Page page) {
        try {
            page.endLeaseIfGiven();
            if (page.giveBack(space)) {
                unlist(page);
            }
        } catch (Throwable later) {
            owes = true; // it is on the list, and whoever comes next does it
        }
    }

    /** Puts a page on the list that has no memory yet, so that what it gets cannot be lost. */
    private void list(Page page) {
        synchronized (list) {
            page.linkLocked();
        }
    }

    /** Takes a page off the list, if it is on it. */
    private void unlist(Page page) {
        synchronized (list) {
            Page before = page.previous;
            Page after = page.next;
            if (before != null) {
                before.next = after;
            } else if (first == page) {
                first = after;
            }
            if (after != null) {
                after.previous = before;
            }
            page.previous = null;
            page.next = null;
        }
    }

    /** Finishes what an error kept from being finished. */
    private void settleOwed() {
        if (owes) {
            settle();
        }
    }

    private List<Page> listed() {
        List<Page> pages = new ArrayList<>();
        synchronized (list) {
            for (Page page = first; page != null; page = page.next) {
                pages.add(page);
            }
        }
        return pages;
    }

    /** Gives back all that was given and has no view. */
    private void settle() {
        owes = false;
        boolean settled = false;
        try {
            for (Page page : listed()) {
                viewEnded(page);
            }
            settled = true;
        } finally {
            if (!settled) {
                owes = true;
            }
        }
    }

    /**
     * Announces that pages will be needed soon, so that contiguous memory is made ready for them in
     * the background, as far as memory is free.
     *
     * @param bytes the size of each; rounded up to whole granules
     * @param count how many; 0 does nothing
     * @throws IllegalArgumentException if {@code bytes} is not positive, or beyond the address
     *     space, or {@code count} negative
     * @throws IllegalStateException if the pool is closed
     */
    public void expect(long bytes, int count) {
        space.expect(bytes, count);
    }

    /** What pages are taken and free now, and what was asked for so far. */
    public PageStatistics stats() {
        settle();
        int kept = 0;
        for (Page page : listed()) {
            kept += page.isKept() ? 1 : 0;
        }
        return space.statistics().withKeptByViews(kept);
    }
}
