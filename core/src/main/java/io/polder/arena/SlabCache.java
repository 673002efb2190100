package io.polder.arena;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;
import static io.polder.memory.Zeroing.STORES_MAX_BYTES;
import static io.polder.memory.Zeroing.WORD;

import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
import io.polder.leak.LeakTracker;
import io.polder.memory.Zeroing;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;

/**
 * The slabs of one pool: takes memory for confined arenas, and takes it back.
 *
 * <pre>{@code
 *                ConfinedArena ---------+
 *                /     |     \          |
 *     ThreadTable      |  SlabSlots     |      threads that keep some | other threads
 *          |           |    |       ConfinedChunks    what does not fit the slab
 *     ThreadRegistry   |    |           |
 *          \ ended     |    |           |
 *           +----> ChunkSource <--------+
 *                      |      \
 *                  ChunkSpace  ChunkCache             free chunks
 * }</pre>
 *
 * <p>A slab is a chunk, committed as a whole. It is at every moment in exactly one place: an arena,
 * a thread's cache, a slot, or the space. Outside an arena it reads as zero. Here it is known by
 * its address alone, since all are of one size: so the lowest bits tell a slab from other chunks.
 *
 * <p>The first chunk of a confined arena is a slab while its thread may own one more, or a slot is
 * free. Otherwise it is a <i>small</i> chunk: of 1 KiB, or up to an OS page where arenas that began
 * alike outgrew less, or as large as the first request where that is more. Where more arenas are
 * open than slabs are kept, they are many, and most of them live long.
 *
 * <p><b>Errors.</b> What is taken for an arena belongs to its {@link ConfinedChunks} by stores
 * after which nothing is called; what is given leaves the arena when {@link #give} returns, and not
 * before. So whoever ends what an error cut off goes on where that stopped.
 *
 * <p>Thread-safe. Whoever takes or gives for an arena is its thread, or ends its close instead.
 */
final class SlabCache {
    private static final int GRAIN_SHIFT = 4;

    /** The grain in which little is cleared; one is, or nothing, of what most libraries hold. */
    private static final int GRAIN = 1 << GRAIN_SHIFT;

    private final ThreadTable threads;
    private final SlabSlots slots;
    private final ThreadRegistry registry;
    private final ChunkSource source;
    private final long slabBytes;

    /**
     * Slabs without memory yet.
     *
     * @param threads finds the caches of platform threads
     * @param slots the slabs that other threads exchange
     * @param source where slabs, and chunks in their place, come from
     */
    SlabCache(ThreadTable threads, SlabSlots slots, ChunkSource source) {
        this.threads = threads;
        this.slots = slots;
        this.registry = threads.registry();
        this.source = source;
        this.slabBytes = source.slabBytes();
        registry.belongTo(this);
        slots.belongTo(this);
    }

    ChunkSource source() {
        return source;
    }

    /** Where the slabs of the running thread are at home, which may keep some from now on. */
    SlabHome home() {
        Thread current = Thread.currentThread();
        boolean earned = current.isVirtual() && slots.earned(current.threadId());
        ThreadCache own = threads.find(current, earned);
        return own != null && (own.keeperId != 0 || registry.mayKeep(own)) ? own : slots;
    }

    /**
     * Serves a request of a confined arena of the running thread for which its slab does not do, or
     * for which it has none. When this returns, the slab is the chunks', or went back because
     * nothing of it was used; the chunks say where the request begins, and from where to where the
     * arena may go on by itself. When it throws, the arena has what it had: what was taken for it
     * stays with its chunks, or is linked at its home if those are new.
     *
     * <p>One method, and thereby longer than what HotSpot inlines into a hot caller ({@code
     * FreqInlineSize}): inlined, it would make the arena's own method too big to be inlined.
     *
     * @param chunks what the arena has beyond a slab; null if nothing
     * @param home where its slab is at home
     * @param slot where the slot of that stands; 0 if it is a thread's
     * @param slab the slab; {@link Chunk#NONE} if there is none
     * @param top where the first free byte of it is, or of the current chunk; 0 if they know
     * @param bytes the size, 1 or more
     * @param alignment a power of two
     * @throws OutOfMemoryError if a limit is in the way, or there is no such size
     */
    static ConfinedChunks more(
            @Nullable ConfinedChunks chunks,
            SlabHome home,
            int slot,
            long slab,
            long top,
            long bytes,
            long alignment) {
        SlabCache cache = home.cache();
        ChunkSource source = cache.source;
        ConfinedChunks all = chunks;
        if (all == null) {
            all = (slab == Chunk.NONE ? cache.home() : home).chunks(source, home.tracker());
        } else if (top != 0) {
            all.setTop(top);
        }
        try {
            int slabLevel = source.slabLevel();
            boolean unused = slab != Chunk.NONE && top == slab && bytes > cache.slabBytes;
            if (slab != Chunk.NONE && !unused) {
                all.begin(slab | slabLevel, slot, top);
            } else if (all.isUnused() && bytes <= cache.slabBytes) {
                ThreadCache own = all.home instanceof ThreadCache thread ? thread : null;
                cache.slots.finishAll();
                all.home.finishAll();
                all.turn = own == null ? 0 : own.nextTurn();
                all.kind = GrowthHistory.kind(bytes);
                long taken;
                try {
                    taken =
                            own == null
                                    ? cache.takeFromSlot(all, bytes)
                                    : cache.takeFromThread(own, bytes, all.tracker);
                } catch (OutOfMemoryError tooMuch) {
                    taken = cache.takeLeast(bytes, all.tracker);
                }
                // From here on it is the arena's, by stores alone.
                if (taken != Chunk.NONE) {
                    boolean isSlab = (taken & Chunk.LEVEL_MASK) == 0;
                    long chunk = isSlab ? taken | slabLevel : taken;
                    long address = taken & Chunk.ADDRESS_MASK;
                    long size = ChunkLevel.ROOT_BYTES >> (chunk & Chunk.LEVEL_MASK);
                    all.slabFirst = isSlab;
                    all.small = isSlab ? Chunk.NONE : taken;
                    all.words[0] = chunk;
                    all.words[ArenaChunks.TOP] = address;
                    all.words[ArenaChunks.LIMIT] = address + size;
                    all.ownedBytes = size;
                    all.count = 1;
                    all.current = 0;
                }
            }
            long aligned = Math.max(alignment, ConfinedArena.MIN_ALIGNMENT);
            long start = cache.allocate(all, bytes, aligned);
            start = start == 0 ? all.allocateOfJdk(bytes, aligned) : start;
            if (all.tracker != null) {
                all.tracker.holds(all.heldBytes());
            }
            long limit = all.currentLimit();
            long free = ArenaChunks.alignUp(all.currentTop(), ConfinedArena.MIN_ALIGNMENT);
            if (unused) {
                give(home, slot, slab, top, null);
            }
            // Nothing is called from here on: the arena knows this, or what it knew before.
            all.start = start;
            all.limit = limit;
            all.top = free;
            all.own = all.current;
            return all;
        } catch (Throwable failure) {
            if (slab != Chunk.NONE && all.slabFirst) {
                all.ownedBytes -= cache.slabBytes;
                all.slabFirst = false;
                all.words[0] = Chunk.NONE; // still the arena's
            }
            if (chunks == null) {
                SlabHome at = all.home;
                synchronized (at) {
                    all.next = at.orphans;
                    at.orphans = all;
                }
                try {
                    at.finishAll();
                    if (all.tracker != null) {
                        all.tracker.holds(0);
                    }
                } catch (Throwable later) {
                    // The next one ends it.
                }
            }
            throw failure;
        }
    }

    private long allocate(ConfinedChunks chunks, long bytes, long alignment) {
        for (int left = ChunkSource.ATTEMPTS_MAX; ; left--) {
            long ended = source.closesEnded();
            try {
                return chunks.allocate(bytes, alignment);
            } catch (OutOfMemoryError failure) {
                if (!source.makeRoom(left, ended, failure)) {
                    source.tell(failure);
                    throw failure;
                }
            }
        }
    }

    /** Takes the smallest chunk that will do, where there is no room for more. */
    private long takeLeast(long bytes, @Nullable LeakTracker tracker) {
        for (int left = ChunkSource.ATTEMPTS_MAX; ; left--) {
            long ended = source.closesEnded();
            try {
                return takeSmall(ChunkLevel.bytes(ChunkLevel.fitting(bytes)), tracker);
            } catch (OutOfMemoryError failure) {
                if (!source.makeRoom(left, ended, failure)) {
                    if (tracker != null) {
                        tracker.holds(0);
                    }
                    source.tell(failure);
                    throw failure;
                }
            }
        }
    }

    /** Takes a small chunk; the tracker is told before, since afterwards nothing may throw. */
    private long takeSmall(long bytes, @Nullable LeakTracker tracker) {
        if (tracker != null) {
            tracker.holds(bytes);
        }
        return source.takeFirst(bytes);
    }

    private long takeFromSlot(ConfinedChunks chunks, long bytes) {
        long hint = Thread.currentThread().threadId();
        int at = slots.take(hint);
        if (at != SlabSlots.NONE) {
            chunks.slot = at;
            return slots.words[at] & ~SlabSlots.TAKEN;
        }
        at = slots.takeEmpty(hint);
        if (at == SlabSlots.NONE) {
            return takeSmall(firstBytes(bytes), chunks.tracker);
        }
        long slab = Chunk.NONE;
        try {
            slab = source.takeSlab();
            return slab;
        } finally {
            slots.words[at] = slab == Chunk.NONE ? 0 : slab | SlabSlots.TAKEN;
            chunks.slot = at;
        }
    }

    private long takeFromThread(ThreadCache home, long bytes, @Nullable LeakTracker tracker) {
        long slab = confirmed(home, home.take());
        if (slab != Chunk.NONE) {
            return slab;
        }
        if (!home.mayOwn()) {
            long small = confirmed(home, home.takeSmall(bytes));
            return small != Chunk.NONE ? small : takeSmall(firstBytes(bytes), tracker);
        }
        source.threadOwnsSlabs();
        registry.lookAndOwn(home);
        try {
            slab = source.takeSlab();
            return slab;
        } finally {
            if (slab == Chunk.NONE) {
                registry.disown(home);
            }
        }
    }

    private long confirmed(SlabHome home, long chunk) {
        VarHandle.acquireFence(); // what was taken was taken before
        return home.attention ? confirm(home, SlabSlots.NONE, chunk) : chunk;
    }

    /**
     * Says whether the running thread may have what it has just taken, since its home wants
     * attention: it may have been revoked meanwhile, or the pool closed.
     *
     * @param slot where the slot of it stands; 0 if it is a thread's
     * @param chunk what it took; {@link Chunk#NONE} if nothing
     * @return the chunk, or {@link Chunk#NONE}
     * @throws IllegalStateException if the pool is closed; then it went back
     */
    long confirm(SlabHome home, int slot, long chunk) {
        long own = home instanceof ThreadCache thread ? registry.confirm(thread, chunk) : chunk;
        if (!source.closed()) {
            return own;
        }
        if (slot != SlabSlots.NONE) {
            slots.give(slot, own); // from where a tick takes it
        } else if (own != Chunk.NONE) {
            boolean _ = source.giveBack(source.chunk(own), 0);
        }
        source.gave(true);
        LeakTracker tracker = home.tracker();
        if (tracker != null) {
            tracker.close();
        }
        throw new IllegalStateException("the pool is closed: name=" + source.space().poolName());
    }

    /** The size of the first chunk of an arena that begins with a request of so many bytes. */
    private long firstBytes(long bytes) {
        long first = source.growth().firstBytes(GrowthHistory.kind(bytes));
        return Math.max(Math.min(first, slabBytes), ChunkLevel.bytes(ChunkLevel.fitting(bytes)));
    }

    /**
     * Gives back all that a confined arena holds; what was given already, by an attempt that was
     * cut off, no more. When it returns, everything has left the arena; when it throws, what is
     * left has not. Runs in the thread of the arena, or for it.
     *
     * @param home where its slab is at home
     * @param slot where the slot of that stands; 0 if it is a thread's
     * @param slab the slab; {@link Chunk#NONE} if there is none, or it is the chunks'
     * @param top where the first free byte of it is, or of the current chunk; 0 if they know
     * @param chunks all it holds, if it has not just a slab; otherwise null
     */
    static void give(
            SlabHome home, int slot, long slab, long top, @Nullable ConfinedChunks chunks) {
        if (chunks != null || top - slab > GRAIN || slab == Chunk.NONE) {
            giveMore(home, slot, slab, top, chunks);
        } else {
            giveLittle(home, slot, slab);
        }
    }

    private static void giveLittle(SlabHome home, int slot, long slab) {
        ADDRESS_SPACE.set(WORD, slab + 8, 0L);
        ADDRESS_SPACE.set(WORD, slab, 0L);
        giveHome(home, slot, slab);
    }

    private static void giveHome(SlabHome home, int slot, long slab) {
        if (slot != SlabSlots.NONE) {
            ((SlabSlots) home).give(slot, slab);
        } else if (!((ThreadCache) home).give(slab)) {
            home.cache().registry.giveWhereFull((ThreadCache) home, slab);
        }
        try {
            VarHandle.acquireFence(); // it was given before this is read
            if (home.slowPath) {
                home.cache().gaveToClosed(home);
            }
        } catch (Throwable later) {
            // It is given. A thread that gives once more, or has ended, or a trim finds it.
        }
    }

    /** A home of a closed pool keeps nothing. What is in a slot is for a tick to take. */
    private void gaveToClosed(SlabHome home) {
        if (source.closed() && home instanceof ThreadCache own) {
            int _ = registry.drain(own);
        }
        source.gave(true);
    }

    /**
     * Does so whatever it holds.
     *
     * <p>The stores are written out rather than looped, and thereby the method is longer than what
     * HotSpot inlines into a hot caller ({@code FreqInlineSize}). Both are wanted: one store
     * through a segment is hundreds of nodes to the compiler, and with more than a few of them
     * inlined, the caller's own arenas no longer are.
     */
    @SuppressWarnings("fallthrough")
    private static void giveMore(
            SlabHome home, int slot, long slab, long top, @Nullable ConfinedChunks chunks) {
        if (chunks != null) {
            home.cache().giveChunks(chunks, top);
            return; // nothing is called once they are the next arena's
        }
        if (slab == Chunk.NONE) {
            LeakTracker tracker = home.tracker();
            if (tracker != null) {
                tracker.close();
            }
            return;
        }
        if (home.slowPath) {
            home.cache().giveToClosed(home, slot, slab, top);
            return;
        }
        long bytes = top - slab;
        if (bytes > STORES_MAX_BYTES) {
            Zeroing.zero(slab, bytes);
        } else {
            switch ((int) (bytes + GRAIN - 1) >>> GRAIN_SHIFT) {
                case 8:
                    ADDRESS_SPACE.set(WORD, slab + 120, 0L);
                    ADDRESS_SPACE.set(WORD, slab + 112, 0L);
                // fall through
                case 7:
                    ADDRESS_SPACE.set(WORD, slab + 104, 0L);
                    ADDRESS_SPACE.set(WORD, slab + 96, 0L);
                // fall through
                case 6:
                    ADDRESS_SPACE.set(WORD, slab + 88, 0L);
                    ADDRESS_SPACE.set(WORD, slab + 80, 0L);
                // fall through
                case 5:
                    ADDRESS_SPACE.set(WORD, slab + 72, 0L);
                    ADDRESS_SPACE.set(WORD, slab + 64, 0L);
                // fall through
                case 4:
                    ADDRESS_SPACE.set(WORD, slab + 56, 0L);
                    ADDRESS_SPACE.set(WORD, slab + 48, 0L);
                // fall through
                case 3:
                    ADDRESS_SPACE.set(WORD, slab + 40, 0L);
                    ADDRESS_SPACE.set(WORD, slab + 32, 0L);
                // fall through
                case 2:
                    ADDRESS_SPACE.set(WORD, slab + 24, 0L);
                    ADDRESS_SPACE.set(WORD, slab + 16, 0L);
                // fall through
                case 1:
                    ADDRESS_SPACE.set(WORD, slab + 8, 0L);
                    ADDRESS_SPACE.set(WORD, slab, 0L);
                // fall through
                default:
            }
        }
        giveHome(home, slot, slab);
    }

    /**
     * Nobody takes from a closed pool any more, so nothing is cached. Whoever releases the pool
     * is woken first, and comes later: when this has given the slab back, it must not throw any
     * more.
     */
    private void giveToClosed(SlabHome home, int slot, long slab, long top) {
        source.gave(true);
        if (home instanceof ThreadCache) {
            source.giveBack(source.chunk(slab), top - slab);
        } else {
            Zeroing.zero(slab, top - slab);
            slots.give(slot, slab); // from where a tick takes it
        }
    }

    /**
     * Gives back all chunks of a confined arena; what was given already, no more. When it returns,
     * the object may be the next arena's.
     *
     * @param top the address of the first free byte of the current one; 0 if they know
     */
    void giveChunks(ConfinedChunks chunks, long top) {
        if (chunks.tracker != null) {
            chunks.tracker.close();
        }
        if (top != 0) {
            chunks.setTop(top);
        }
        giveOrphan(chunks);
        chunks.reset();
        // Nothing is called from here on: whoever comes next may have it. A tracker is not kept: it
        // knows the classes on the stack that opened the arena.
        if (chunks.tracker == null && chunks.home instanceof ThreadCache own) {
            if (own.spare != chunks) {
                own.spare = chunks;
            }
            chunks.taken = false;
        }
    }

    /** Does so for chunks that no arena has: the arena that they were for may be open. */
    void giveOrphan(ConfinedChunks chunks) {
        if (chunks.isSmall()) {
            giveSmall(chunks);
            return;
        }
        chunks.giveRest();
        chunks.giveOfJdk();
        long slab = chunks.slab();
        if (slab != Chunk.NONE) {
            give(chunks.home, chunks.slot, slab, slab + chunks.slabUsedBytes(), null);
            chunks.words[0] = Chunk.NONE;
        }
    }

    /** Leaves the only chunk of an arena, which is small, with its thread if that may keep it. */
    private void giveSmall(ConfinedChunks chunks) {
        long small = chunks.small;
        Zeroing.zero(Chunk.address(small), chunks.slabUsedBytes());
        if (chunks.home instanceof ThreadCache own
                && !source.closed()
                && own.giveSmall(small, chunks.turn)) {
            chunks.words[0] = Chunk.NONE;
            return;
        }
        boolean warm = source.giveBack(small, 0);
        chunks.words[0] = Chunk.NONE;
        source.gave(warm);
    }

    /** Ends closes that were cut off, as far as the running thread may; with no lock held. */
    void finishAll() {
        slots.finishAll();
        ThreadCache own = threads.known(Thread.currentThread());
        if (own != null) {
            own.finishAll();
        }
    }

    /**
     * Gives the slabs back that nobody needs now: those in slots, those of threads that ended, and
     * those of the running thread. What other living threads keep stays with them. May be called
     * with locks held.
     *
     * @return how many slabs and small chunks
     */
    int drain() {
        ThreadCache own = threads.known(Thread.currentThread());
        return registry.reclaim() + slots.drainTo(source) + (own == null ? 0 : registry.drain(own));
    }

    /** Takes what living threads keep as well, where it can; returns how many slabs and chunks. */
    int revoke() {
        return registry.revoke();
    }

    /** Keeps nothing any more. */
    void close() {
        slots.close();
        registry.close();
    }
}
