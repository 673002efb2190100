package io.polder.page.space;

import io.polder.background.LibraryThread;
import io.polder.leak.LeakTracker;
import io.polder.page.Page;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.MemorySegment.Scope;
import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A page that a user has, or had.
 *
 * <p>Thread-safe: {@code lock} guards its views and whether it is closed. Invariant: its memory is
 * given back exactly once, when it is closed and has no view. The close of the page and that of the
 * last view's arena both look with the lock held, and take no other lock of pages meanwhile.
 *
 * <p><b>Errors.</b> A thread that finds that decides it by one store: the {@link Extent} is
 * abandoned. Should an error keep its memory from being given back then, others reclaim it, at the
 * latest when the space is closed.
 */
public final class UserPage implements Page {
    /** Can access what every thread can, and nothing else. */
    private static final Thread NOBODY = LibraryThread.daemon("nobody", () -> {});

    /** What stands in front of a view in the list of its page. */
    private static class Link {
        @Nullable View next;

        /** Drops the views that are over up to the first that is not, so that none is met twice. */
        final void dropNext() {
            for (View view = next; view != null && view.isOver(); view = next) {
                next = view.next;
                view.next = null;
            }
        }
    }

    /** A view, and what is run when it ends. */
    private static final class View extends Link implements Consumer<MemorySegment> {
        private final UserPage page;

        /** Who has asked for it: if it is confined, nobody else can use it. */
        private final WeakReference<Thread> user = new WeakReference<>(Thread.currentThread());

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
            synchronized (page.lock) {
                dropNext();
            }
            page.giveIfUnviewed();
        }

        /**
         * Whether nobody can use it any more. An error can keep an arena from saying that it has
         * ended. Only its thread can use and close a confined arena: so it is over if that thread
         * has ended, or if that thread itself sees it dead. Another thread may see it dead before
         * the last access; and of an arena that is not confined, a thread may be in the middle of
         * one.
         */
        boolean isOver() {
            Scope scope = confined;
            if (over || scope == null) {
                return over;
            }
            Thread thread = user.get();
            return thread == null
                    || !thread.isAlive()
                    || (thread == Thread.currentThread() && !scope.isAlive());
        }
    }

    /** Not the page itself, on which its users may synchronize. */
    private final Object lock = new Object();

    private final UserPages pages;
    private final Extent memory;

    /** Tracks leaks of the page; null if nobody does. */
    private final @Nullable LeakTracker tracker;

    private final Link views = new Link();
    private boolean closed;

    /** One that was just taken. */
    UserPage(UserPages pages, Extent memory, @Nullable LeakTracker tracker) {
        this.pages = pages;
        this.memory = memory;
        this.tracker = tracker;
        if (tracker != null) {
            tracker.holds(memory.bytes());
        }
    }

    @Override
    public long bytes() {
        return memory.bytes();
    }

    @Override
    @SuppressWarnings("restricted")
    public MemorySegment segment(Arena arena) {
        Objects.requireNonNull(arena, "arena");
        View view = new View(this);
        synchronized (lock) {
            if (closed) {
                throw new IllegalStateException("a closed page has no new views: page=" + this);
            }
            memory.reservation().dirt.dirtied(memory, memory.bytes());
            view.next = views.next;
            views.next = view;
        }
        try {
            MemorySegment segment =
                    MemorySegment.ofAddress(memory.address())
                            .reinterpret(memory.bytes(), arena, view);
            if (!segment.isAccessibleBy(NOBODY)) {
                view.confined = segment.scope();
            }
            return segment;
        } catch (Throwable failure) {
            view.over = true; // nobody has it, even if the arena knows of it
            giveIfUnviewed(); // forgets it
            throw failure;
        }
    }

    /** Gives its memory back, now or when its last view has ended. */
    @Override
    public void close() {
        synchronized (lock) {
            if (closed) {
                throw new IllegalStateException("a page can be closed once: page=" + this);
            }
            views.dropNext();
            if (views.next != null) {
                boolean _ = pages.kept.add(this);
            }
            closed = true;
            memory.abandoned = views.next == null; // decided
        }
        try {
            LeakTracker.close(tracker);
        } finally {
            giveIfUnviewed();
        }
    }

    /** Gives its memory back, if it is closed and has no view. */
    void giveIfUnviewed() {
        synchronized (lock) {
            views.dropNext();
            if (!closed || views.next != null) {
                return;
            }
            memory.abandoned = true; // decided
        }
        boolean _ = !pages.kept.isEmpty() && pages.kept.remove(this);
        pages.space.requests.reclaim(memory);
    }

    @Override
    public String toString() {
        return "Page[bytes=" + memory.bytes() + "]";
    }
}
