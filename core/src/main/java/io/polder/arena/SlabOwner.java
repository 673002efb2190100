package io.polder.arena;

import io.polder.leak.LeakTracker;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * Who lends slabs to confined arenas and gets them back: a thread that keeps some, or the slots
 * that other threads share. An arena that is tracked for leaks begins with an owner of its own,
 * which has none.
 *
 * <p><b>Errors.</b> If a close fails, and what it does then fails too, since there is no stack,
 * stores put its arena into a list. An opening that had taken a slab of the slots does the same.
 * What these arenas hold stays unavailable until the thread has ended, or the pool is closed.
 *
 * <p>Thread-safe as its subclasses are. The list is ended with the lock of {@link ThreadRegistry}
 * or of {@link SlabSlots} held; a thread that adds to it holds no lock, and two that do so at once
 * may lose one. An arena that is found there twice gives nothing the second time.
 */
abstract sealed class SlabOwner permits ThreadCache, SlabSlots, TrackedOwner {
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

    /**
     * The id of the thread that keeps slabs in this {@link ThreadCache}; 0 if it may not, since
     * there is a limit, and of other owners. Read without a lock.
     */
    long keeperId;

    /** The arena that an error met last, at its opening or close; {@code next} leads on. */
    @Nullable ConfinedArena cutOff;

    final void belongTo(SlabCache itsCache) {
        cache = itsCache;
        if (itsCache.source.closed) {
            close();
        }
    }

    /** The pool is closed. */
    final void close() {
        slowPath = true;
        attention = true;
    }

    final SlabCache cache() {
        return Objects.requireNonNull(cache);
    }

    /** What an arena of the running thread holds that has no chunk yet. */
    ConfinedChunks chunks(ChunkSource source, @Nullable LeakTracker itsTracker) {
        return new ConfinedChunks(source, this, itsTracker);
    }

    /** Tracks leaks of its only arena; null if it is an owner for many. */
    @Nullable LeakTracker tracker() {
        return null;
    }

    /**
     * Gives back what arenas hold that an error met at their opening or close; locked, or of an
     * owner whose only arena has no memory. Those that are open stay in the list, and are never
     * added again: so it has no circle.
     */
    final void endCutOff() {
        ConfinedArena open = null;
        for (ConfinedArena each = cutOff; each != null; each = each.next) {
            if (!each.giveCutOff()) {
                open = each;
            } else if (open != null) {
                open.next = each.next;
            } else if (cutOff == each) { // otherwise one was added, and this one is found again
                cutOff = each.next;
            }
        }
    }
}
