package io.polder.arena;

import io.polder.chunk.Chunk;
import io.polder.leak.LeakTracker;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.util.Arrays;

/**
 * The free slabs and small chunks that one thread keeps for its next arenas on one pool.
 *
 * <pre>{@code
 *   words   | TOP | OWNED | COUNT | TURN | slab | ... | unused | SMALLS | small | ... | unused |
 *                                           0     COUNT                   1       SMALLS
 * }</pre>
 *
 * <p>{@code TOP} is a slab, or 0: an arena opened after another was closed takes with one load and
 * one store, and gives alike. Deeper nesting uses the rest, a stack of {@code COUNT} slabs. Slabs
 * are known by their addresses, plain numbers, so no write barrier of a garbage collector runs.
 *
 * <p>A thread <i>owns</i> as many slabs as it may keep, those in open arenas included: an arena
 * that stays open keeps its slab from the others, and ten thousand of them are not to hold ten
 * thousand slabs. When they are all in use, arenas begin in chunks of the smallest size, of which
 * the thread keeps a few as well.
 *
 * <p>A slab taken is <i>removed</i>: its arena alone knows it. So arenas may nest and close in any
 * order, and a thread that ends while an arena is open harms nobody.
 *
 * <p>Invariants: {@code 0 <= COUNT <= capacity - 1}; {@code COUNT + (TOP != 0) <= OWNED <=
 * capacity}; {@code 0 <= SMALLS <= SMALLS_MAX}; no chunk stands here twice; each
 * reads as zero. Entries below COUNT and SMALLS are 0 that were revoked, until the thread looks.
 *
 * <p><b>Errors.</b> What is taken or given is so by stores after which nothing is called: a method
 * that throws has done nothing.
 *
 * <p>Confined to its thread, without synchronisation, until {@link ThreadRegistry} has seen that
 * the thread {@linkplain #ended ended}; all that a thread did happens before that is seen; or until
 * the registry revokes it, see there. What the registry needs of it, {@link #next}, {@link
 * #keeperId} and what was revoked, is guarded by the registry's lock.
 */
final class ThreadCache extends SlabOwner {
    /** Two cache lines, for the adjacent-line prefetch: the words of two threads stay apart. */
    static final int PADDING = 16;

    static final int TOP = PADDING;
    static final int OWNED = TOP + 1;
    static final int COUNT = OWNED + 1;
    private static final int TURN = COUNT + 1;
    static final int SLABS = TURN + 1;

    /** What is larger is not kept: next to clearing so much, taking a chunk costs little. */
    static final long SMALL_MAX_BYTES = 4 << 10;

    /** Small chunks kept at most: as many arenas may come and go beside those that hold slabs. */
    static final int SMALLS_MAX = 8;

    /** What they hold together at most. */
    static final long SMALLS_MAX_BYTES = SMALLS_MAX * SMALL_MAX_BYTES;

    private static final long[] NOTHING = {};

    /** How many turns can be told apart. */
    private static final int TURNS = 1 << 24;

    final long ownerId;
    private final WeakReference<Thread> owner;

    /** Whether its thread is a virtual one. */
    final boolean virtual;

    final int restCapacity;

    /** Where SMALLS stands. */
    final int smalls;

    final long[] words;

    /** What was revoked since the thread looked last; see {@link #tookLate}. */
    private long[] revoked = NOTHING;

    private int revokedCount;

    /** The next in the ring of the registry; null if this is not in it. */
    @Nullable ThreadCache next;

    /**
     * The owner's id if it may keep slabs: where there is a limit, few may. Read without a
     * lock.
     */
    long keeperId;

    /** What the arena held that was closed last of those that outgrew a slab; null if none was. */
    @Nullable ConfinedChunks spare;

    /**
     * A cache without slabs.
     *
     * @param owner its thread
     * @param capacity how many slabs it may keep, 1 or more
     */
    ThreadCache(Thread owner, int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException(
                    "a thread keeps at least one slab: capacity=" + capacity);
        }
        this.ownerId = owner.threadId();
        this.owner = new WeakReference<>(owner);
        this.virtual = owner.isVirtual();
        this.restCapacity = capacity - 1;
        this.smalls = SLABS + restCapacity;
        this.words = new long[smalls + 1 + SMALLS_MAX + PADDING];
    }

    /** The {@link Thread#threadId()} of its thread; the JVM uses none twice. */
    long ownerId() {
        return ownerId;
    }

    /** Whether its thread has run for the last time. May be asked by any thread. */
    boolean ended() {
        Thread thread = owner.get();
        return thread == null || !thread.isAlive();
    }

    /** Removes a slab and returns it; 0 if there is none. */
    long take() {
        long slab = words[TOP];
        if (slab != 0) {
            words[TOP] = 0;
            return slab;
        }
        return takeFromRest();
    }

    private long takeFromRest() {
        long[] words = this.words;
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
     * Takes back what a living thread keeps; returns how many slabs and small chunks. The caller
     * has the registry locked, has fenced all threads since it said that it revokes, and so the
     * thread is in the middle of one {@link #take} or {@link #takeSmall} at most: it waits at the
     * end of that. It may {@link #give} meanwhile, which touches nothing that is read or written
     * here: so COUNT and SMALLS stay as they are, and what is taken is 0 from then on.
     */
    int revokeTo(ChunkSource source) {
        int slabs = revokeTo(source, TOP, TOP + 1);
        slabs += revokeTo(source, SLABS, SLABS + Math.min((int) words[COUNT], restCapacity));
        words[OWNED] -= slabs;
        return slabs + revokeTo(source, smalls + 1, smalls + 1 + (int) words[smalls]);
    }

    private int revokeTo(ChunkSource source, int from, int to) {
        int given = 0;
        for (int at = from; at < to; at++) {
            long chunk = words[at];
            if (chunk != 0) {
                if (revokedCount == revoked.length) {
                    revoked = Arrays.copyOf(revoked, 2 * revokedCount + 2);
                }
                revoked[revokedCount++] = chunk; // first: the thread may be about to take it
                boolean _ = source.giveBack(source.chunk(chunk), 0);
                words[at] = 0;
                given++;
            }
        }
        return given;
    }

    /** Whether there is anything to revoke, as far as one can see. */
    boolean keepsSome() {
        boolean some = words[TOP] != 0;
        for (int at = SLABS; !some && at < smalls + 1 + SMALLS_MAX; at++) {
            some = at != smalls && words[at] != 0;
        }
        return some;
    }

    /**
     * Whether what the thread has just taken was revoked meanwhile, and is not its own. Also makes
     * good what it did to its stacks then. For the thread, with the registry locked.
     */
    boolean tookLate(long chunk) {
        for (int at = TOP; at < smalls + 1 + SMALLS_MAX; at++) {
            boolean isChunk = at == TOP || (at >= SLABS && at != smalls);
            if (isChunk && words[at] != 0 && wasRevoked(words[at])) {
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

    /** Counts a slab that the thread is about to take; with the registry locked. */
    void ownOneMore() {
        words[OWNED]++;
    }

    /** Closes the gaps that were revoked; for the thread, with the registry locked. */
    void compact() {
        words[COUNT] = compact(SLABS, (int) words[COUNT]);
        words[smalls] = compact(smalls + 1, (int) words[smalls]);
    }

    private int compact(int from, int count) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            long chunk = words[from + i];
            if (chunk != 0) {
                words[from + i] = 0; // first: what is cut off is lost, and not here twice
                words[from + kept++] = chunk;
            }
        }
        return kept;
    }

    /** Whether it owns slabs, as far as one can see. */
    boolean ownsSome() {
        return words[OWNED] > 0;
    }

    /** Counts one less; likewise. */
    void ownOneLess() {
        words[OWNED]--;
    }

    /** Whether the thread may own one more slab. */
    boolean mayOwn() {
        return words[OWNED] <= restCapacity;
    }

    /** Removes a small chunk that so many bytes fit into and returns it; 0 if there is none. */
    long takeSmall(long bytes) {
        int count = (int) words[smalls];
        for (int i = count; i > 0; i--) {
            long chunk = words[smalls + i];
            if (chunk != 0 && Chunk.bytes(chunk) >= bytes) {
                words[smalls + i] = words[smalls + count];
                words[smalls] = count - 1L;
                return chunk;
            }
        }
        return 0;
    }

    /**
     * Counts an arena that begins without a slab; returns how many there were, this included,
     * modulo {@link #TURNS}.
     */
    int nextTurn() {
        words[TURN] = (words[TURN] + 1) & (TURNS - 1);
        return (int) words[TURN];
    }

    /**
     * Keeps a small chunk, which must read as zero, if it was taken lately: where arenas come and
     * go it will be needed again, but where many are closed that lived long, chunks are to merge.
     *
     * @param turn what {@link #nextTurn} returned when it was taken
     * @return false if it is not to be kept
     */
    boolean giveSmall(long chunk, int turn) {
        int count = (int) words[smalls];
        if (((words[TURN] - turn) & (TURNS - 1)) >= SMALLS_MAX
                || count == SMALLS_MAX
                || Chunk.bytes(chunk) > SMALL_MAX_BYTES) {
            return false;
        }
        VarHandle.storeStoreFence(); // as above
        words[smalls + 1 + count] = chunk;
        words[smalls] = count + 1L;
        return true;
    }

    /**
     * Gives back every slab and small chunk; returns how many there were. Only for the thread
     * itself, or once it has ended. Each is given, and then removed by a store: where giving
     * throws, the rest is still here.
     */
    int drainTo(ChunkSource source) {
        endCutOff();
        int drained = drainTo(source, TOP, 1);
        for (int count = (int) words[COUNT]; count > 0; count--) {
            drained += drainTo(source, SLABS - 1 + count, 1);
            words[COUNT] = count - 1L;
        }
        for (int count = (int) words[smalls]; count > 0; count--) {
            drained += drainTo(source, smalls + count, 0);
            words[smalls] = count - 1L;
        }
        if (drained > 0) {
            source.gave(true);
        }
        return drained;
    }

    /** Does so with one of the words, which counts as owned if it is a slab. */
    private int drainTo(ChunkSource source, int at, int owned) {
        if (words[at] == 0) {
            return 0;
        }
        boolean _ = source.giveBack(source.chunk(words[at]), 0);
        words[at] = 0;
        words[OWNED] -= owned;
        return 1;
    }
}
