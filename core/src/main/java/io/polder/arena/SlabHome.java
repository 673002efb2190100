package io.polder.arena;

import io.polder.leak.LeakTracker;

import org.jspecify.annotations.Nullable;

/**
 * Where slabs of confined arenas are at home: with a thread that keeps them, or in slots. It also
 * knows the arenas whose close was cut off, and ends that.
 *
 * <pre>{@code
 *   first --> arena --> arena        linked in place by the handler of a close, which may have no
 *                                    stack left for a call
 * }</pre>
 *
 * <p>Arenas whose slabs are a thread's are linked there, and given back by that thread or once it
 * has ended; all others are linked at the slots, and may be given back by anybody.
 *
 * <p>Invariants: an arena is linked at one home, once, or nowhere. While it is, nobody gives what
 * it holds but who has that home locked.
 *
 * <p><b>Errors.</b> An arena is unlinked by stores after all it held is given, and what was given
 * is not given twice. So who is cut off goes on at the next time.
 *
 * <p>Thread-safe: one lock, taken after that of {@link ThreadRegistry} and before that of {@link
 * ChunkSource}.
 */
abstract sealed class SlabHome permits ThreadCache, SlabSlots {
    /** The pool's; set before there is a slab here. */
    private @Nullable SlabCache cache;

    /**
     * Whether there is more to do than to keep a slab that comes back: the pool is closed, and
     * takes it, or there is a tracker to close. Plain: a thread that sees late that the pool is
     * closed keeps one more.
     */
    boolean slowPath;

    /**
     * Whether the thread must ask whether what it takes from here is its own: see {@link
     * ThreadRegistry}; for good in a closed pool. Plain: who takes reads it after that, with an
     * order for the compiler, and who writes it fences all threads.
     */
    boolean attention;

    /** Who lists arenas of this home: itself, but for a home of one that is tracked for leaks. */
    SlabHome list = this;

    private @Nullable LeakTracker tracker;

    /** The arena that was cut off last; written with this locked. */
    @Nullable ConfinedArena first;

    /** Chunks that were taken for requests that failed then; likewise. */
    @Nullable ConfinedChunks orphans;

    final void belongTo(SlabCache itsCache) {
        cache = itsCache;
        if (itsCache.source().closed()) {
            close();
        }
    }

    /** The pool is closed. */
    final void close() {
        slowPath = true;
        attention = true;
    }

    final SlabCache cache() {
        SlabCache known = cache;
        if (known == null) {
            throw new AssertionError("whoever has a slab belongs to a pool");
        }
        return known;
    }

    /** Is the home of a single arena from now on, which is tracked, and listed at another one. */
    final void standIn(SlabHome real, LeakTracker itsTracker) {
        list = real;
        tracker = itsTracker;
        slowPath = true;
    }

    /** What an arena of the running thread holds that has no chunk yet. */
    ConfinedChunks chunks(ChunkSource source, @Nullable LeakTracker itsTracker) {
        return new ConfinedChunks(source, this, itsTracker);
    }

    /** Tracks leaks of its only arena; null if it is a home of many. */
    final @Nullable LeakTracker tracker() {
        return tracker;
    }

    /** Tells leak detection that something may hang on its only arena; does nothing for many. */
    final void scopeGiven() {
        LeakTracker its = tracker;
        if (its != null) {
            its.scopeGiven();
        }
    }

    /**
     * Ends what was cut off. To be called by the thread, or once it has ended, if this is
     * one's.
     */
    final void finishAll() {
        if (first != null || orphans != null) { // a late one is seen the next time
            finishSome();
        }
    }

    private synchronized void finishSome() {
        ConfinedArena before = null;
        ConfinedArena arena = first;
        while (arena != null) {
            ConfinedArena after = arena.next;
            if (!arena.finish()) {
                before = arena;
            } else if (before == null) {
                first = after;
            } else {
                before.next = after;
            }
            arena = after;
        }
        for (ConfinedChunks chunks = orphans; chunks != null; chunks = orphans) {
            cache().giveOrphan(chunks);
            orphans = chunks.next;
            chunks.next = null;
        }
    }

    /** Removes an arena that is to be closed once more, having been refused. */
    final synchronized void remove(ConfinedArena removed) {
        ConfinedArena before = null;
        for (ConfinedArena arena = first; arena != null; arena = arena.next) {
            if (arena != removed) {
                before = arena;
                continue;
            }
            if (before == null) {
                first = arena.next;
            } else {
                before.next = arena.next;
            }
            return;
        }
    }
}
