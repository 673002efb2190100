package io.polder.arena;

import io.polder.leak.LeakTracker;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.util.Arrays;

/**
 * The free slabs that one thread keeps for its next arenas on one pool.
 *
 * <pre>{@code
 *   words   | OWNED | COUNT | TOP | slab | ... | unused |
 *                                    0     COUNT
 * }</pre>
 *
 * <p>{@code TOP} is a slab, or 0: an arena opened after another was closed takes with one load and
 * one store, and gives alike. Deeper nesting uses the rest, a stack of {@code COUNT} slabs. Slabs
 * are known by their addresses, plain numbers, so no write barrier of a garbage collector runs.
 *
 * <p>A thread <i>owns</i> as many slabs as it may keep, those in open arenas included: an arena
 * that stays open keeps its slab from the others, and ten thousand of them are not to hold ten
 * thousand slabs. When they are all in use, arenas begin in other chunks.
 *
 * <p>A slab taken is <i>removed</i>: its arena alone knows it. So arenas may nest and close in any
 * order, and a thread that ends while an arena is open harms nobody.
 *
 * <p>Invariants: {@code 0 <= COUNT <= capacity - 1}; {@code COUNT + (TOP != 0) <= OWNED <=
 * capacity}; no slab stands here twice; each reads as zero. Entries below COUNT are 0 that were
 * revoked, until the thread looks.
 *
 * <p><b>Errors.</b> What is taken or given is so by stores after which nothing is called: a method
 * that throws has done nothing.
 *
 * <p>Confined to its thread, without synchronisation, until {@link ThreadRegistry} has seen that
 * the thread {@linkplain #ended ended}; all that a thread did happens before that is seen; or until
 * the registry revokes it, see there. What the registry needs of it, {@link #keeperId} and what was
 * revoked, is guarded by the registry's lock.
 */
final class ThreadCache extends SlabOwner {
    /** Two cache lines, for the adjacent-line prefetch: the words of two threads stay apart. */
    static final int PADDING = 16;

    static final int OWNED = PADDING;
    static final int COUNT = OWNED + 1;
    static final int TOP = COUNT + 1;
    static final int SLABS = TOP + 1;

    private static final long[] NOTHING = {};

    /** The {@link Thread#threadId()} of its thread; the JVM uses none twice. */
    final long ownerId;

    private final WeakReference<Thread> owner;

    /** Whether its thread is a virtual one. */
    final boolean virtual;

    final int restCapacity;

    final long[] words;

    /** What was revoked since the thread looked last; see {@link #tookLate}. */
    private long[] revoked = NOTHING;

    private int revokedCount;

    /** What the arena held that was closed last of those that outgrew a slab; null if none was. */
    @Nullable ConfinedChunks spare;

    /**
     * A cache without slabs.
     *
     * @param owner its thread
     * @param capacity how many slabs it may keep, 1 or more
     */
    ThreadCache(Thread owner, int capacity) {
        this.ownerId = owner.threadId();
        this.owner = new WeakReference<>(owner);
        this.virtual = owner.isVirtual();
        this.restCapacity = capacity - 1;
        this.words = new long[SLABS + restCapacity + PADDING];
    }

    /** Whether its thread has run for the last time. May be asked by any thread. */
    boolean ended() {
        Thread thread = owner.get();
        return thread == null || !thread.isAlive();
    }

    /** Removes a slab and returns it; 0 if there is none. */
    long take() {
        long[] words = this.words;
        long slab = words[TOP];
        if (slab != 0) {
            words[TOP] = 0;
            return slab;
        }
        int count = (int) words[COUNT];
        if (count == 0) {
            return 0;
        }
        words[COUNT] = count - 1L;
        return words[SLABS - 1 + count];
    }

    /** Keeps a slab, which must read as zero; returns false if there are as many as may be. */
    boolean give(long slab) {
        VarHandle.storeStoreFence(); // zeros come before: who revokes may take it
        if (words[TOP] == 0) {
            words[TOP] = slab;
            return true;
        }
        return giveToRest(slab);
    }

    private boolean giveToRest(long slab) {
        int count = (int) words[COUNT];
        if (count == restCapacity) {
            return false;
        }
        words[SLABS + count] = slab;
        VarHandle.storeStoreFence(); // who revokes and counts it finds it, not what was there
        words[COUNT] = count + 1L;
        return true;
    }

    /** The spare one, unless an arena has that, or is to be tracked. */
    @Override
    ConfinedChunks chunks(ChunkSource source, @Nullable LeakTracker itsTracker) {
        ConfinedChunks chunks = spare;
        if (chunks == null || chunks.taken || itsTracker != null) {
            return super.chunks(source, itsTracker);
        }
        chunks.taken = true;
        return chunks;
    }

    /**
     * Takes back what a living thread keeps; returns how many slabs. The caller
     * has the registry locked, has fenced all threads since it said that it revokes, and so the
     * thread is in the middle of one {@link #take} at most: it waits at the
     * end of that. It may {@link #give} meanwhile, which touches nothing that is read or written
     * here: so COUNT stays as it is, and what is taken is 0 from then on.
     */
    int revokeTo(ChunkSource source) {
        int given = 0;
        int end = SLABS + Math.min((int) words[COUNT], restCapacity);
        VarHandle.loadLoadFence(); // what is counted was written before
        for (int at = TOP; at < end; at++) {
            long chunk = words[at];
            if (chunk != 0) {
                if (!wasRevoked(chunk)) { // else it is another's, and an error put it back here
                    if (revokedCount == revoked.length) {
                        revoked = Arrays.copyOf(revoked, 2 * revokedCount + 2);
                    }
                    source.giveSlab(chunk);
                    revoked[revokedCount++] = chunk; // the thread may be about to take it
                    words[OWNED]--;
                    given++;
                }
                words[at] = 0;
            }
        }
        return given;
    }

    /** Whether there is anything to revoke, as far as one can see; above COUNT arenas have it. */
    boolean keepsSome() {
        boolean some = false;
        for (int at = TOP; !some && at < SLABS + (int) words[COUNT]; at++) {
            some = words[at] != 0;
        }
        return some;
    }

    /**
     * Whether what the thread has just taken was revoked meanwhile, and is not its own. Also makes
     * good what it did to its stacks then. For the thread, or once it has ended, with the registry
     * locked.
     */
    boolean tookLate(long chunk) {
        for (int at = TOP; at < SLABS + restCapacity; at++) {
            if (words[at] != 0 && wasRevoked(words[at])) {
                words[at] = 0;
            }
        }
        compact();
        boolean late = wasRevoked(chunk);
        revokedCount = 0;
        return late;
    }

    private boolean wasRevoked(long chunk) {
        for (int i = 0; i < revokedCount; i++) {
            if (revoked[i] == chunk) {
                return true;
            }
        }
        return false;
    }

    /** Closes the gaps that were revoked; for the thread, with the registry locked. */
    void compact() {
        int kept = 0;
        for (int at = SLABS; at < SLABS + (int) words[COUNT]; at++) {
            long slab = words[at];
            if (slab != 0) {
                words[at] = 0; // first: an error loses it, and it is not here twice
                words[SLABS + kept++] = slab;
            }
        }
        words[COUNT] = kept;
    }

    /** Whether the thread may own one more slab. */
    boolean mayOwn() {
        return words[OWNED] <= restCapacity;
    }

    /**
     * Gives back every slab; returns how many there were. Only for the thread
     * itself, or once it has ended. Each is given, and then removed by a store: where giving
     * throws, the rest is still here.
     */
    int drainTo(ChunkSource source) {
        boolean _ = tookLate(0); // what an error put back may be another's
        endCutOff();
        int drained = 0;
        for (int at = TOP + (int) words[COUNT]; at >= TOP; at--) {
            if (words[at] != 0) {
                source.giveSlab(words[at]);
                words[at] = 0;
                words[OWNED]--;
                drained++;
            }
            words[COUNT] = at > TOP ? at - SLABS : 0;
        }
        if (drained > 0) {
            source.gave();
        }
        return drained;
    }
}
