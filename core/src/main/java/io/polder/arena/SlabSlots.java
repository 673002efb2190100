package io.polder.arena;

import static io.polder.arena.ChunkCache.IDLE;
import static io.polder.arena.ChunkCache.TAKEN;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Slabs for threads that keep none of their own: most virtual threads, threads beyond those that a
 * limit lets keep some, and threads whose entry in the {@link ThreadRegistry} belongs to another
 * one.
 *
 * <pre>{@code
 *   words   | slot 0 |  padding  | turns | slot 1 |  padding  | ...
 *
 *   slot:   0           has no slab
 *           slab        free, for anybody to take; or IDLE, or TAKEN, as in the ChunkCache
 * }</pre>
 *
 * <p>A slab is taken by one compare-and-set and put back by another, at the slot that the thread's
 * id names or one of the next {@link #PROBES}; threads that run at the same time have ids that
 * differ, mostly by little. Nothing belongs to a carrier thread, so a virtual thread may move while
 * its arena is open.
 *
 * <p>Beside a slot it is counted how many arenas one virtual thread has opened there, with no
 * other in between: one that opens {@link #TURNS_EARNED} may {@linkplain #earned keep slabs}. A
 * hint: counts that race are lost, and an arena that found no slab when it was opened, and takes
 * one later, counts twice.
 *
 * <p>There are as many slabs as slots at most, and no more than a small part of a limit, those in
 * arenas included. When they are used up (more arenas are open: by virtual threads that block
 * inside, say, or forgotten ones), the caller gets a small chunk from {@link ChunkSource}.
 *
 * <p>Ordering: a slab is put and removed by a compare-and-set: the zeros written before it is given
 * are seen by the thread that takes it next.
 *
 * <p><b>Errors.</b> A slab is taken and given by a compare-and-set after which nothing is called. A
 * slab that is lost counts.
 */
final class SlabSlots extends SlabOwner {
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

    /** Two cache lines a slot, for the adjacent-line prefetch. */
    private static final int STRIDE = 16;

    static final int PROBES = 6;

    /**
     * How far in front of a slot, in its padding, the id stands of the thread that opened an arena
     * there last, and its turns.
     */
    private static final int TURNS = 1;

    private static final int TURNS_SHIFT = 12;

    /** A virtual thread that has opened so many arenas will open more: guessed. */
    static final int TURNS_EARNED = 1000;

    final long[] words;
    private final int mask;
    private final int slabsMax;

    /** How many slabs there are: in slots, and in arenas that took them from here. */
    private final AtomicInteger slabs = new AtomicInteger();

    /**
     * Slots without slabs.
     *
     * @param count how many, a power of two
     * @param slabsMax how many slabs there may be, 0 to count
     */
    SlabSlots(int count, int slabsMax) {
        this.words = new long[(count + 1) * STRIDE];
        this.mask = count - 1;
        this.slabsMax = slabsMax;
    }

    /** Where what an arena takes from here is at home: with an owner of its own, or here. */
    SlabOwner home(@Nullable SlabOwner guess) {
        return guess instanceof TrackedOwner ? guess : this;
    }

    /**
     * Takes a slab for an arena that is opened.
     *
     * @param guess what the running thread keeps, if the entry is its own, or the arena's own
     *     owner; null if there is neither
     * @param hint the thread's id, and where to look first
     * @return its address; 0 if none of the slots probed has one, or the running thread may claim
     *     its entry of the {@link ThreadRegistry}
     */
    long take(@Nullable SlabOwner guess, long hint) {
        if (guess instanceof ThreadCache other
                ? other.ownerId == hint || !other.ended() || Thread.currentThread().isVirtual()
                : guess == null && Thread.currentThread().isVirtual()) {
            return takeCounted(hint);
        }
        return 0; // a platform thread's first arena, which claims the entry, or one that is tracked
    }

    /**
     * Takes a slab, and counts a turn of a virtual thread.
     *
     * <p>Written out rather than looped, and thereby longer than what HotSpot inlines into a hot
     * caller ({@code FreqInlineSize}): what opens an arena must stay small, or arenas of other
     * threads are no longer removed.
     *
     * @param hint the thread's id, and where to look first
     * @return its address; 0 if none of the slots probed has one, or the thread has earned to keep
     *     slabs
     */
    long takeCounted(long hint) {
        int first = (int) hint;
        int at = index(first & mask);
        if (Thread.currentThread().isVirtual()) {
            long turns = words[at - TURNS];
            if (turns == (hint << TURNS_SHIFT | TURNS_EARNED)) {
                return 0; // and so may claim the entry
            }
            words[at - TURNS] = turns >>> TURNS_SHIFT == hint ? turns + 1 : hint << TURNS_SHIFT;
        }
        long slab = (long) WORDS.getOpaque(words, at);
        if (slab != 0 && (slab & TAKEN) == 0 && WORDS.compareAndSet(words, at, slab, 0L)) {
            return slab & ~IDLE;
        }
        at = index(first + 1 & mask);
        slab = (long) WORDS.getOpaque(words, at);
        if (slab != 0 && (slab & TAKEN) == 0 && WORDS.compareAndSet(words, at, slab, 0L)) {
            return slab & ~IDLE;
        }
        at = index(first + 2 & mask);
        slab = (long) WORDS.getOpaque(words, at);
        if (slab != 0 && (slab & TAKEN) == 0 && WORDS.compareAndSet(words, at, slab, 0L)) {
            return slab & ~IDLE;
        }
        at = index(first + 3 & mask);
        slab = (long) WORDS.getOpaque(words, at);
        if (slab != 0 && (slab & TAKEN) == 0 && WORDS.compareAndSet(words, at, slab, 0L)) {
            return slab & ~IDLE;
        }
        at = index(first + 4 & mask);
        slab = (long) WORDS.getOpaque(words, at);
        if (slab != 0 && (slab & TAKEN) == 0 && WORDS.compareAndSet(words, at, slab, 0L)) {
            return slab & ~IDLE;
        }
        at = index(first + 5 & mask);
        slab = (long) WORDS.getOpaque(words, at);
        if (slab != 0 && (slab & TAKEN) == 0 && WORDS.compareAndSet(words, at, slab, 0L)) {
            return slab & ~IDLE;
        }
        return 0;
    }

    /** Counts a slab that is about to be taken from the space; returns false if it may not be. */
    boolean ownOneMore() {
        if (slabs.incrementAndGet() <= slabsMax) {
            return true;
        }
        ownOneLess();
        return false;
    }

    /** Counts one less. */
    void ownOneLess() {
        slabs.decrementAndGet();
    }

    /**
     * Whether the running thread, a virtual one, has opened so many arenas one after the other that
     * it may keep slabs. Once it is asked, it begins anew.
     */
    boolean earned(long id) {
        int at = index((int) id & mask) - TURNS;
        boolean earned = words[at] == (id << TURNS_SHIFT | TURNS_EARNED);
        if (earned) {
            words[at] = id << TURNS_SHIFT;
        }
        return earned;
    }

    /**
     * Puts a slab into a slot.
     *
     * @param hint where to look first: the thread's id
     * @param slab must read as zero
     * @return false if none of the slots probed is empty
     */
    boolean give(long hint, long slab) {
        for (int probe = 0; probe < PROBES; probe++) {
            int at = index((int) (hint + probe) & mask);
            if ((long) WORDS.getOpaque(words, at) == 0
                    && WORDS.compareAndSet(words, at, 0L, slab)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Gives back the slabs that were in their slots at the last tick and were not taken since.
     *
     * @return whether there are others, in slots or in arenas; false if the pool is closed
     */
    synchronized boolean tick(ChunkSource source) {
        if (source.closed) {
            return false; // what arenas still have goes past the slots
        }
        int _ = drainTo(source, true);
        return slabs.get() > 0;
    }

    /** Gives back the slabs of all slots; returns how many there were. */
    int drainTo(ChunkSource source) {
        return drainTo(source, false);
    }

    private synchronized int drainTo(ChunkSource source, boolean onlyIdle) {
        endCutOff();
        int drained = 0;
        for (int slot = 0; slot <= mask; slot++) {
            if (ChunkCache.drain(words, index(slot), onlyIdle, source.giveSlab)) {
                ownOneLess();
                drained++;
            }
        }
        if (drained > 0) {
            source.gave();
        }
        return drained;
    }

    /** Where a slot stands in the words. */
    static int index(int slot) {
        return (slot + 1) * STRIDE - 1;
    }
}
