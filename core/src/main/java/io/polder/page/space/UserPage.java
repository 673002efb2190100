package io.polder.page.space;

import io.polder.background.LibraryThread;
import io.polder.leak.LeakTracker;
import io.polder.page.Page;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.MemorySegment.Scope;
import java.util.function.Consumer;

/**
 * A page that a user has, or had.
 *
 * <p>Thread-safe: its monitor guards its views and whether it was given. Invariant: its memory is
 * given back exactly once, by whoever finds under the monitor that it was given and has no view.
 *
 * <p><b>Errors.</b> A view that could not be made is over, which is one store. A page is given by
 * one store as well, with which it is on the list of {@link UserPages} until its memory is back: so
 * whatever is thrown then, others finish it.
 */
public final class UserPage implements Page {
    /** Can access what every thread can, and nothing else. */
    private static final Thread NOBODY = LibraryThread.daemon("nobody", () -> {});

    /** A view, and what is run when it ends. */
    private static final class View implements Consumer<MemorySegment> {
        private final UserPage page;
        private @Nullable View next;

        /** How long it lives; null if it is not made yet, or that cannot be relied on. */
        private volatile @Nullable Scope confined;

        /** Whether it lives no longer, or could not be made. */
        private volatile boolean over;

        View(UserPage page) {
            this.page = page;
        }

        @Override
        public void accept(MemorySegment memory) {
            over = true;
            page.pages.viewEnded(page);
        }

        /**
         * Whether nobody can use it any more. An error can keep an arena from saying that it has
         * ended. One that is confined is closed by the only thread that can use it, so that it is
         * not alive says enough; of others, a thread may be in the middle of an access.
         */
        boolean isOver() {
            Scope scope = confined;
            return over || (scope != null && !scope.isAlive());
        }
    }

    /** Not the page itself, on which its users may synchronize. */
    private final Object lock = new Object();

    private final UserPages pages;

    /** Tracks leaks of the page; null if nobody does. */
    private final @Nullable LeakTracker tracker;

    /** Its memory; null until it is taken. */
    @Nullable Extent extent;

    private @Nullable View views;
    private boolean given;

    /** It could not be handed to whoever wanted it: as good as given. */
    volatile boolean discarded;

    private boolean returning;
    private boolean returned;

    /** Whether there ever was a view, through which something may have been written. */
    private boolean viewed;

    /** Its neighbours on the list, which guards them. */
    @Nullable UserPage previous;

    @Nullable UserPage next;

    /** One that has no memory yet. */
    UserPage(UserPages pages, @Nullable LeakTracker tracker) {
        this.pages = pages;
        this.tracker = tracker;
    }

    @Override
    public long bytes() {
        return extent().bytes();
    }

    @Override
    @SuppressWarnings("restricted")
    public MemorySegment segment(Arena arena) {
        View view = new View(this);
        Extent memory = extent();
        synchronized (lock) {
            if (isGiven()) {
                throw new IllegalStateException(
                        "a page that was given has no new views: page=" + this);
            }
            view.next = views;
            views = view;
            viewed = true;
        }
        boolean made = false;
        try {
            MemorySegment segment =
                    MemorySegment.ofAddress(memory.address())
                            .reinterpret(memory.bytes(), arena, view);
            if (!segment.isAccessibleBy(NOBODY)) {
                view.confined = segment.scope();
            }
            made = true;
            return segment;
        } finally {
            if (!made) {
                // Nobody has it, even if the arena knows of it.
                view.over = true;
                pages.owes = true;
            }
        }
    }

    UserPages pages() {
        return pages;
    }

    private Extent extent() {
        Extent memory = extent;
        if (memory == null) {
            throw new AssertionError("a page that is used has memory: page=" + this);
        }
        return memory;
    }

    /** Says how much it has. */
    void describe() {
        if (tracker != null) {
            tracker.holds(bytes());
        }
    }

    /** Closes its tracker once it was given; may be done again. */
    void closeTrackerIfGiven() {
        if (tracker != null && isGiven()) {
            tracker.close();
        }
    }

    private boolean isGiven() {
        synchronized (lock) {
            return given || discarded;
        }
    }

    /**
     * Marks it as given, which puts it on the list.
     *
     * @throws IllegalStateException if it was given before
     */
    void markGiven() {
        boolean before;
        synchronized (lock) {
            before = given;
            if (!before) {
                synchronized (pages.list) {
                    linkLocked();
                    given = true;
                }
            }
        }
        if (before) {
            throw new IllegalStateException("a page can be given once: page=" + this);
        }
    }

    /** Puts it on the list, whose lock is held. */
    void linkLocked() {
        UserPage first = pages.first;
        next = first;
        if (first != null) {
            first.previous = this;
        }
        pages.first = this;
    }

    /** Whether a view keeps it. */
    boolean isKept() {
        synchronized (lock) {
            dropViews();
            return isGiven() && !returned && views != null;
        }
    }

    /**
     * Gives its memory back, if it was given and has no view.
     *
     * @return whether it is back
     */
    boolean giveBack(PageSpace space) {
        Extent memory = extent;
        synchronized (lock) {
            dropViews();
            if (!isGiven() || returning || views != null) {
                return false;
            }
            if (returned || memory == null) {
                return true;
            }
            returning = true;
        }
        boolean back = false;
        try {
            space.give(memory, viewed ? memory.bytes() : 0);
            back = true;
            return true;
        } finally {
            synchronized (lock) {
                returned = back;
                returning = false;
            }
        }
    }

    private void dropViews() {
        View before = null;
        for (View view = views; view != null; view = view.next) {
            if (!view.isOver()) {
                before = view;
            } else if (before == null) {
                views = view.next;
            } else {
                before.next = view.next;
            }
        }
    }

    @Override
    public String toString() {
        int alive = 0;
        boolean wasGiven;
        synchronized (lock) {
            for (View view = views; view != null; view = view.next) {
                alive += view.isOver() ? 0 : 1;
            }
            wasGiven = isGiven();
        }
        Extent memory = extent;
        return "Page[bytes="
                + (memory == null ? 0 : memory.bytes())
                + ", views="
                + alive
                + (wasGiven ? ", given]" : "]");
    }
}
