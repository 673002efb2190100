package io.polder.page;

import io.polder.leak.Lease;
import io.polder.page.space.Extent;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Contiguous native memory that was taken from a {@link PageCache}.
 *
 * <pre>{@code
 *   taken --segment--> taken, n views --close of their arenas--> taken
 *     | give              | give
 *     v                   v
 *   given              kept, n views --close of their arenas--> given
 * }</pre>
 *
 * <p>It is used through views, each bound to an arena of the caller: the JDK checks their bounds,
 * and lifetime and thread as that arena says. The page goes back to the cache when it was
 * {@linkplain PageCache#give given} and no view is alive, never before. A view in the global arena
 * lives for ever, and keeps the page for as long.
 *
 * <p>Thread-safe. Invariant: its memory is given back exactly once, by whoever makes {@code given}
 * and "no views" true together, which one compare-and-set does.
 */
public final class Page {
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Page.class, "state", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** It was given, and gets no views any more. */
    private static final int GIVEN = 1 << 30;

    private final PageCache cache;
    private final Extent extent;

    /** What is watched in place of the page; null if it is not. */
    private final @Nullable Lease lease;

    /** How many views are alive, and {@link #GIVEN}. */
    @SuppressWarnings("UnusedVariable") // through STATE
    private volatile int state;

    /** Whether there ever was a view, through which something may have been written. */
    private volatile boolean viewed;

    Page(PageCache cache, Extent extent, @Nullable Lease lease) {
        this.cache = cache;
        this.extent = extent;
        this.lease = lease;
        if (lease != null) {
            lease.holds(extent.bytes());
        }
    }

    /** The size in bytes, a multiple of {@link PageCache#GRANULE_BYTES}. */
    public long bytes() {
        return extent.bytes();
    }

    /**
     * Makes a view of all of the page, which lives as long as an arena. Views of one page share its
     * bytes; only the first one is sure to read zeros.
     *
     * @param arena an arena of the caller, of any kind
     * @return a segment of {@link #bytes} bytes, aligned to a granule
     * @throws IllegalStateException if the page was given, or the arena is closed
     * @throws WrongThreadException if the arena is confined to another thread
     */
    @SuppressWarnings("restricted")
    public MemorySegment segment(Arena arena) {
        int now;
        do {
            now = state;
            if ((now & GIVEN) != 0) {
                throw new IllegalStateException(
                        "a page that was given has no new views: page=" + this);
            }
        } while (!STATE.compareAndSet(this, now, now + 1));
        boolean made = false;
        try {
            viewed = true;
            MemorySegment view =
                    MemorySegment.ofAddress(extent.address())
                            .reinterpret(extent.bytes(), arena, _ -> viewEnded());
            made = true;
            return view;
        } finally {
            if (!made) {
                viewEnded();
            }
        }
    }

    private void viewEnded() {
        int before = (int) STATE.getAndAdd(this, -1);
        if (before == GIVEN + 1) {
            cache.keptNoLonger(this);
        }
    }

    PageCache cache() {
        return cache;
    }

    Extent extent() {
        return extent;
    }

    /** How much of it may have been written. */
    long writtenBytes() {
        return viewed ? extent.bytes() : 0;
    }

    /**
     * Marks it as given.
     *
     * @return whether no view is alive, so that it can be given back now
     * @throws IllegalStateException if it was given already
     */
    boolean markGiven() {
        int now;
        do {
            now = state;
            if ((now & GIVEN) != 0) {
                throw new IllegalStateException("a page can be given once: page=" + this);
            }
        } while (!STATE.compareAndSet(this, now, now | GIVEN));
        if (lease != null) {
            lease.close();
        }
        return now == 0;
    }

    @Override
    public String toString() {
        int now = state;
        return "Page[bytes="
                + extent.bytes()
                + ", views="
                + (now & ~GIVEN)
                + ((now & GIVEN) != 0 ? ", given]" : "]");
    }
}
