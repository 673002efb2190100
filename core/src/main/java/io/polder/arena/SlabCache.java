package io.polder.arena;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;
import static io.polder.memory.Zeroing.STORES_MAX_BYTES;
import static io.polder.memory.Zeroing.WORD;

import io.polder.chunk.Chunk;
import io.polder.leak.LeakTracker;
import io.polder.memory.Exhaustion;
import io.polder.memory.Zeroing;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;

/**
 * The slabs of one pool: takes memory for confined arenas, and takes it back.
 *
 * <pre>{@code
 *                ConfinedArena ---------+
 *                /     |     \          |
 *     ThreadRegistry   |  SlabSlots     |      threads that keep some | other threads
 *          |           |    |       ConfinedChunks    what does not fit the slab
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
 * <p>A confined arena begins with a slab while its thread, or the slots, may own one more; else
 * with a small chunk, as a shared arena does: where more arenas are open than slabs are kept, they
 * are many, and most of them live long.
 *
 * <p><b>Errors.</b> What is taken for an arena belongs to its {@link ConfinedChunks} by stores
 * after which nothing is called; what is given leaves the arena when {@link #give} returns, and not
 * before. An error between the two loses one slab or chunk.
 *
 * <p>Thread-safe. The thread that takes or gives for an arena is its own, or ends its close
 * instead.
 */
final class SlabCache {
    private static final int GRAIN_SHIFT = 4;

    /** The grain in which little is cleared; one is, or nothing, of what most libraries hold. */
    private static final int GRAIN = 1 << GRAIN_SHIFT;

    private final SlabSlots slots;
    private final ThreadRegistry registry;
    final ChunkSource source;
    private final long slabBytes;

    /**
     * Slabs without memory yet.
     *
     * @param registry finds the caches of threads that keep slabs
     * @param slots the slabs that other threads exchange
     * @param source where slabs, and chunks in their place, come from
     */
    SlabCache(ThreadRegistry registry, SlabSlots slots, ChunkSource source) {
        this.registry = registry;
        this.slots = slots;
        this.source = source;
        this.slabBytes = source.slabBytes();
        registry.cache = this;
        slots.belongTo(this);
    }

    /** Who lends slabs to the running thread, which may keep some from now on. */
    SlabOwner owner() {
        Thread current = Thread.currentThread();
        boolean earned = current.isVirtual() && slots.earned(current.threadId());
        ThreadCache own = registry.find(current, earned);
        return own != null && (own.keeperId != 0 || registry.mayKeep(own)) ? own : slots;
    }

    /**
     * Serves a request of a confined arena of the running thread for which its slab does not do, or
     * for which it has none. Afterwards the chunks have what the arena had: they say where the
     * request begins, and from where to where the arena may go on by itself, or why there is
     * nothing. A slab of which nothing was used, and that is too small, goes back. If this throws,
     * there are none yet, and the arena has what it had.
     *
     * <p>It makes no room: shrinkers and cleanup actions do that, and may allocate in the same
     * arena, or close it. So the arena lets {@link ConfinedChunks#makeRoom} do it when it knows
     * its chunks.
     *
     * <p>One method, and thereby longer than what HotSpot inlines into a hot caller ({@code
     * FreqInlineSize}): inlined, it would make the arena's own method too big to be inlined. So it
     * has as many parameters.
     *
     * @param known what the arena has beyond a slab; null if nothing
     * @param home where its slab is at home
     * @param slab the slab; {@link Chunk#NONE} if there is none
     * @param top where the first free byte of it is, or of the current chunk; 0 if they know
     * @param bytes the size, 1 or more
     * @param alignment a power of two
     * @param overwritten whether the caller will write to all of it before anybody reads it
     * @param owner the id of the arena's thread, negative once its close has begun
     * @return what the arena has
     * @throws WrongThreadException if the arena is not the running thread's
     * @throws IllegalStateException if its close has begun
     */
    static ConfinedChunks grow(
            @Nullable ConfinedChunks known,
            SlabOwner home,
            long slab,
            long top,
            long bytes,
            long alignment,
            boolean overwritten,
            long owner) {
        if (Thread.currentThread().threadId() != owner) {
            throw Arguments.noAccess(owner);
        }
        ConfinedChunks chunks = known;
        if (chunks == null) {
            SlabCache cache = home.cache();
            SlabOwner lender = slab == Chunk.NONE ? cache.owner() : home;
            chunks = lender.chunks(cache.source, home.tracker());
            if (slab != Chunk.NONE && top == slab && cache.isBeyondSlab(bytes, overwritten)) {
                giveHome(home, slab); // and nothing throws after it was given
            } else if (slab != Chunk.NONE) {
                chunks.begin(slab | cache.source.slabLevel, top);
            }
        }
        if (known != null && top != 0) {
            chunks.setTop(top); // if this throws, the arena has its top still
        }
        chunks.start = 0;
        chunks.failure = null;
        try {
            SlabCache cache = chunks.home.cache();
            ChunkSource source = cache.source;
            long aligned = Math.max(alignment, ConfinedArena.MIN_ALIGNMENT);
            chunks.closesEnded = source.listener.closesEnded();
            if (chunks.count == 0 && !cache.isBeyondSlab(bytes, overwritten)) {
                cache.beginWithSlab(chunks);
            }
            long start = chunks.allocate(bytes, aligned, overwritten);
            start = start == 0 ? chunks.allocateOfJdk(bytes, aligned) : start;
            if (chunks.tracker != null) {
                chunks.tracker.holds(chunks.heldBytes());
            }
            chunks.limit = chunks.currentLimit();
            chunks.top = ArenaChunks.alignUp(chunks.currentTop(), ConfinedArena.MIN_ALIGNMENT);
            chunks.attemptsLeft = Exhaustion.ATTEMPTS_MAX;
            chunks.start = start;
            return chunks;
        } catch (Throwable failure) {
            chunks.failure = failure; // by stores: what was taken is theirs
            chunks.top = 0;
            chunks.limit = 0;
            return chunks;
        }
    }

    private boolean isBeyondSlab(long bytes, boolean overwritten) {
        return bytes > slabBytes || source.isBeyondSlab(bytes, overwritten);
    }

    /**
     * Lets an arena that has nothing begin with a slab, if its home has one, or may have one more.
     */
    private void beginWithSlab(ConfinedChunks chunks) {
        ThreadCache own = chunks.home instanceof ThreadCache thread ? thread : null;
        int level = source.slabLevel;
        long taken =
                own == null
                        ? slots.takeCounted(Thread.currentThread().threadId())
                        : takeFromThread(own);
        if (taken != Chunk.NONE) { // by stores alone: an error would lose it
            chunks.slabFirst = true;
            chunks.words[0] = taken | level;
            chunks.words[ArenaChunks.TOP] = taken;
            chunks.words[ArenaChunks.LIMIT] = taken + slabBytes;
            chunks.words[ArenaChunks.COMMITTED] = taken + slabBytes;
            chunks.ownedBytes = slabBytes;
            chunks.count = 1;
            chunks.current = 0;
        } else if (own == null ? ownOneMoreInSlots() : registry.ownOneMore(own)) {
            boolean begun = false;
            try {
                begun = chunks.beginWithNewSlab();
            } catch (OutOfMemoryError tooMuch) {
                // Then a smaller chunk, if there is one.
            } finally {
                if (!begun && own != null) {
                    registry.disown(own);
                } else if (!begun) {
                    slots.ownOneLess();
                }
            }
        }
    }

    /** Counts a slab for the slots, and has a tick look at them; false if there may be no more. */
    private boolean ownOneMoreInSlots() {
        synchronized (slots) { // so a tick that this does not wake looks when it is counted
            source.listener.threadOwnsSlabs();
            return slots.ownOneMore();
        }
    }

    /** Takes a slab that the running thread keeps; {@link Chunk#NONE} if there is none. */
    private long takeFromThread(ThreadCache own) {
        long slab = own.take();
        try {
            VarHandle.acquireFence(); // what was taken was taken before
            return own.attention ? confirm(own, slab) : slab;
        } catch (Error cutOff) {
            own.words[ThreadCache.TOP] = slab; // by a store; if it was revoked, that is found there
            throw cutOff;
        }
    }

    /**
     * Says whether the running thread may have what it has just taken, since its home wants
     * attention: it may have been revoked meanwhile, or the pool closed.
     *
     * @param chunk what it took; {@link Chunk#NONE} if nothing
     * @return the chunk, or {@link Chunk#NONE}
     * @throws IllegalStateException if the pool is closed; then it went back
     */
    long confirm(SlabOwner home, long chunk) {
        IllegalStateException closed = source.closed ? closed(home) : null;
        // Last: what was revoked is another's, and an error would have it put back.
        long own = home instanceof ThreadCache thread ? registry.confirm(thread, chunk) : chunk;
        if (closed == null) {
            return own;
        }
        if (own != Chunk.NONE) {
            giveToClosed(own, 0);
        }
        throw closed;
    }

    private IllegalStateException closed(SlabOwner home) {
        LeakTracker.close(home.tracker());
        return new IllegalStateException("the pool is closed: name=" + source.space.poolName());
    }

    /**
     * Gives back all that a confined arena holds; what was given already, by an attempt that an
     * error ended, no more. When it returns, everything has left the arena; when it throws, what is
     * left has not. Runs in the thread of the arena, or for it.
     *
     * @param home where its slab is at home
     * @param slab the slab; {@link Chunk#NONE} if there is none, or it is the chunks'
     * @param top where the first free byte of it is, or of the current chunk; 0 if they know
     * @param chunks all it holds, if it has not just a slab; otherwise null
     */
    static void give(SlabOwner home, long slab, long top, @Nullable ConfinedChunks chunks) {
        if (chunks == null && top - slab <= GRAIN) {
            giveLittle(home, slab);
            return;
        }
        giveMore(home, slab, top, chunks);
    }

    private static void giveLittle(SlabOwner home, long slab) {
        if (slab == Chunk.NONE) {
            giveMore(home, slab, slab, null);
            return;
        }
        ADDRESS_SPACE.set(WORD, slab + 8, 0L);
        ADDRESS_SPACE.set(WORD, slab, 0L);
        giveHome(home, slab);
    }

    /** Gives a slab that reads as zero to its owner. */
    private static void giveHome(SlabOwner home, long slab) {
        if (home instanceof ThreadCache own) {
            if (!own.give(slab)) {
                home.cache().registry.giveWhereFull(own, slab);
            }
        } else if (!((SlabSlots) home).give(Thread.currentThread().threadId(), slab)) {
            home.cache().giveToSpace(slab);
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

    /** Gives back a slab for which no slot was empty. */
    private void giveToSpace(long slab) {
        slots.ownOneLess(); // first: what is given is given last
        source.giveSlab(slab);
    }

    /** A home of a closed pool keeps nothing. What is in a slot is for a tick to take. */
    private void gaveToClosed(SlabOwner home) {
        if (source.closed && home instanceof ThreadCache own) {
            int _ = registry.drain(own);
        }
        source.gave();
    }

    /**
     * Gives back all that a confined arena holds, whatever that is. If the pool is closed, a slab
     * goes past its home to the space: the thread that finishes a close which an error ended need
     * not be the home's, and does so while that home is drained.
     *
     * <p>The stores are written out rather than looped, and thereby the method is longer than what
     * HotSpot inlines into a hot caller ({@code FreqInlineSize}). Both are wanted: one store
     * through a segment is hundreds of nodes to the compiler, and with more than a few of them
     * inlined, the caller's own arenas no longer are.
     */
    @SuppressWarnings("fallthrough")
    static void giveMore(SlabOwner home, long slab, long top, @Nullable ConfinedChunks chunks) {
        if (chunks != null) {
            home.cache().giveChunks(chunks, top);
            return; // nothing is called once they are the next arena's
        }
        if (slab == Chunk.NONE) {
            LeakTracker.close(home.tracker());
            return;
        }
        if (home.slowPath) {
            home.cache().giveToClosed(slab, top - slab);
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
        giveHome(home, slab);
    }

    /**
     * Gives a slab back past its home: nobody takes from a closed pool any more. Afterwards it
     * wakes the thread that releases the pool once more, which may have looked too early. When the
     * slab was given, this must not throw any more.
     */
    private void giveToClosed(long slab, long usedBytes) {
        source.gave(); // also here: afterwards an error may keep it from being told
        source.space.give(source.chunk(slab), usedBytes);
        try {
            source.gave();
        } catch (Throwable later) {
            // It is given, and that thread was woken once.
        }
    }

    /**
     * Gives back all chunks of a confined arena; what was given already, no more. When it returns,
     * the object may be the next arena's.
     *
     * @param top the address of the first free byte of the current one; 0 if they know
     */
    private void giveChunks(ConfinedChunks chunks, long top) {
        LeakTracker.close(chunks.tracker);
        if (top != 0) {
            chunks.setTop(top);
        }
        chunks.giveRest();
        chunks.giveOfJdk();
        long slab = chunks.slab();
        if (slab != Chunk.NONE) {
            giveMore(chunks.home, slab, slab + chunks.usedBytes(0), null);
            chunks.words[0] = Chunk.NONE;
        }
        chunks.reset();
        // Nothing is called from here on: the next arena may have it. A tracker is not kept: it
        // knows the classes on the stack that opened the arena.
        if (chunks.tracker == null && chunks.home instanceof ThreadCache own) {
            if (own.spare != chunks) {
                own.spare = chunks;
            }
            chunks.taken = false;
        }
    }

    /**
     * Gives the slabs back that nobody needs now: those in slots, those of threads that ended, and
     * those of the running thread. What other living threads keep stays with them. May be called
     * with locks held.
     *
     * @return how many slabs
     */
    int drain() {
        ThreadCache own = registry.known(Thread.currentThread());
        return registry.reclaim() + slots.drainTo(source) + (own == null ? 0 : registry.drain(own));
    }

    /**
     * Gives back what threads kept that have ended, and what is idle in slots.
     *
     * @return whether there is more that may come back
     */
    boolean tick() {
        boolean some = registry.tick();
        return slots.tick(source) || some;
    }

    /** Keeps nothing any more. */
    void close() {
        slots.close();
        registry.close();
    }
}
