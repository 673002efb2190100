package io.polder.page.space;

import io.polder.leak.Kind;
import io.polder.leak.LeakWatch;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryExhaustedException;
import io.polder.page.Page;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * The pages that users have: what is behind a {@link Page}, from before its memory is taken until
 * it is back.
 *
 * <p>Before a page is refused, the pool is asked for room.
 *
 * <p><b>Errors.</b> A page that is being taken is on a list, and one that was given is until its
 * memory is back. So what an error cut off is ended by the next use, or the next trim.
 *
 * <p>Thread-safe. {@code list} guards the list; no lock of the space is taken with it held.
 */
final class UserPages {
    /** How often room is made for one page, which others may take. */
    private static final int ATTEMPTS_MAX = 8;

    private final PageSpace space;
    private final Exhaustion exhaustion;
    private final @Nullable LeakWatch leaks;

    /**
     * Guards the list of pages that were given and whose memory is not back yet, and of those that
     * are being taken.
     */
    final Object list = new Object();

    @Nullable UserPage first;

    /** Whether a page may be on the list, or a view, that an error kept from ending. */
    volatile boolean owes;

    /**
     * No pages yet.
     *
     * @param space where pages come from
     * @param exhaustion is asked for room before a page is refused, and told when it is
     * @param leaks finds pages that are not given; null if nobody wants to know
     */
    UserPages(PageSpace space, Exhaustion exhaustion, @Nullable LeakWatch leaks) {
        this.space = space;
        this.exhaustion = exhaustion;
        this.leaks = leaks;
    }

    /** One of the ways to have memory. */
    interface Attempt<E extends Exception> {
        Extent take() throws E;
    }

    /**
     * Takes a page in one of the ways, which is tried again as long as the pool makes room.
     *
     * @param waits whether that has waited for room itself
     */
    <E extends Exception> UserPage take(Attempt<E> attempt, boolean waits) throws E {
        reclaimOwed();
        UserPage page = new UserPage(this, leaks == null ? null : leaks.track(Kind.PAGE));
        list(page);
        boolean taken = false;
        try {
            for (int left = ATTEMPTS_MAX; page.extent == null; left--) {
                long ended = exhaustion.closesEnded();
                try {
                    page.extent = attempt.take();
                } catch (MemoryExhaustedException exhausted) {
                    if (left == 0
                            || !(exhaustion.makeRoom()
                                    || (!waits && exhaustion.awaitClosing(ended)))) {
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

    /** Gives a page back, now or when its last view has ended. */
    void give(Page given) {
        UserPage page = (UserPage) given;
        if (page.pages() != this) {
            throw new IllegalArgumentException(
                    "a page must be given to the cache it was taken from: page=" + given);
        }
        reclaimOwed();
        page.markGiven();
        try {
            viewEnded(page);
        } catch (Throwable later) {
            owes = true; // not even the call found room on the stack
        }
    }

    /**
     * Gives the memory of a page back, if it was given and has no view. What keeps that from being
     * done is not the caller's concern any more.
     */
    void viewEnded(UserPage page) {
        try {
            page.closeTrackerIfGiven();
            if (page.giveBack(space)) {
                unlist(page);
            }
        } catch (Throwable later) {
            owes = true; // it is on the list, and whoever comes next does it
        }
    }

    /** Puts a page on the list that has no memory yet, so that what it gets cannot be lost. */
    private void list(UserPage page) {
        synchronized (list) {
            page.linkLocked();
        }
    }

    /** Takes a page off the list, if it is on it. */
    private void unlist(UserPage page) {
        synchronized (list) {
            UserPage before = page.previous;
            UserPage after = page.next;
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
    private void reclaimOwed() {
        if (owes) {
            reclaim();
        }
    }

    private List<UserPage> listed() {
        List<UserPage> pages = new ArrayList<>();
        synchronized (list) {
            for (UserPage page = first; page != null; page = page.next) {
                pages.add(page);
            }
        }
        return pages;
    }

    /** Gives back all that was given and has no view. */
    void reclaim() {
        owes = false;
        boolean done = false;
        try {
            for (UserPage page : listed()) {
                viewEnded(page);
            }
            done = true;
        } finally {
            if (!done) {
                owes = true;
            }
        }
    }

    /** How many were given, and wait for a view to end. */
    int keptByViews() {
        int kept = 0;
        for (UserPage page : listed()) {
            kept += page.isKept() ? 1 : 0;
        }
        return kept;
    }
}
