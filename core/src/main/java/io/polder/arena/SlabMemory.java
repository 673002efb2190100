package io.polder.arena;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;
import static io.polder.memory.Zeroing.COPY_FROM_BYTES;
import static io.polder.memory.Zeroing.WORD;

import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
import io.polder.leak.Kind;
import io.polder.leak.Lease;
import io.polder.leak.Sampler;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Zeroing;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;

/**
 * The slabs of one pool, and who keeps them; the chunks behind them.
 *
 * <pre>{@code
 *                    arenas ------------+
 *                /     |     \          |
 *     ThreadTable      |  SlabSlots     |      platform threads | virtual threads
 *          |           |    |       ArenaChunks       what does not fit the first chunk
 *     ThreadRegistry   |    |           |
 *          \ ended     |    |           |
 *           +----> ChunkSource <--------+
 *                      |      \
 *                  ChunkSpace  KeptChunks             chunks at hand
 * }</pre>
 *
 * <p>A slab is a chunk, committed as a whole. It is at every moment in exactly one place: an arena,
 * a thread's cache, a slot, or the space. Outside an arena it reads as zero. Here it is known by
 * its address alone, since all are of one size: so the lowest bits tell a slab from other chunks.
 *
 * <p>The first chunk of a confined arena is a slab while its thread may own one more, or a slot is
 * free. Otherwise it is a <i>small</i> chunk: of 1 KiB, or of an OS page where arenas that began
 * alike outgrew that, or as large as the first request where that is more. Where more arenas are
 * open than slabs are kept, they are many, and most of them live long.
 *
 * <p>A record, because compilers trust the fields of records: with a pool in a static final field,
 * an arena's code holds these references as constants.
 *
 * <p>Thread-safe.
 *
 * @param threads the slabs that platform threads keep
 * @param slots the slabs that virtual threads exchange
 * @param registry which threads keep slabs
 * @param source the chunks that nobody keeps
 * @param kept the chunks at hand for arenas that outgrow a slab
 * @param deferred the groups of arenas whose close is deferred
 * @param slabBytes the size of a slab
 * @param watched chooses which arenas are watched for leaks; null if none
 * @param closable the source, if it can be closed; otherwise null, which compilers know
 */
public record SlabMemory(
        ThreadTable threads,
        SlabSlots slots,
        ThreadRegistry registry,
        ChunkSource source,
        KeptChunks kept,
        DeferredGroups deferred,
        long slabBytes,
        @Nullable Sampler watched,
        @Nullable ChunkSource closable) {

    /** Guessed: room for virtual threads that block while an arena is open. */
    private static final int SLOTS_PER_PROCESSOR = 16;

    private static final int SLOTS_MIN = 64;

    /** What threads keep is at most such a part of the limit; guessed. */
    private static final int KEPT_SHARE = 8;

    private static final int GRAIN_SHIFT = 4;

    /** The grain in which little is cleared. */
    private static final int GRAIN = 1 << GRAIN_SHIFT;

    static {
        // Without leak detection nothing else loads it, and a compiler inlines no call whose
        // signature names a class that is not loaded: each arena would be an object.
        Class<?> _ = Lease.class;
    }

    /**
     * Slabs without memory yet.
     *
     * @param source where the memory comes from
     * @param perThread how many slabs a platform thread keeps, 1 or more
     * @param onDeferredClose makes somebody call {@link #tick} soon; called often
     * @param processors how many threads run at one time, at most; 1 or more
     */
    public static SlabMemory create(
            ChunkSource source, int perThread, Runnable onDeferredClose, int processors) {
        return create(source, perThread, onDeferredClose, processors, true, null);
    }

    /**
     * Slabs without memory yet.
     *
     * @param source where the memory comes from
     * @param perThread how many slabs a platform thread keeps, 1 or more
     * @param onDeferredClose makes somebody call {@link #tick} soon; called often
     * @param processors how many threads run at one time, at most; 1 or more
     * @param closable whether {@link #close} may be called
     * @param watched chooses which arenas are watched for leaks; null if none
     */
    public static SlabMemory create(
            ChunkSource source,
            int perThread,
            Runnable onDeferredClose,
            int processors,
            boolean closable,
            @Nullable Sampler watched) {
        ThreadRegistry registry = new ThreadRegistry(source, keepersMax(source, perThread));
        int slotCount = Math.max(SLOTS_MIN, ceilingPowerOfTwo(processors * SLOTS_PER_PROCESSOR));
        SlabSlots slots = new SlabSlots(slotCount);
        SlabMemory memory =
                new SlabMemory(
                        new ThreadTable(registry, perThread),
                        slots,
                        registry,
                        source,
                        new KeptChunks(source, processors),
                        new DeferredGroups(source, onDeferredClose),
                        source.slabBytes(),
                        watched,
                        closable ? source : null);
        source.reclaimBy(memory::reclaim, memory.deferred::closePending);
        source.keepIn(memory.kept);
        return memory;
    }

    /**
     * How many threads may keep what no other can take away: an eighth of a limit, all together.
     */
    private static int keepersMax(ChunkSource source, int perThread) {
        MemoryLimits limits = source.space().limits();
        long most = Math.min(limits.committedMaxBytes(), limits.reservedMaxBytes());
        long kept = perThread * source.slabBytes() + ThreadSlabs.SMALLS_MAX_BYTES;
        return most >= MemoryLimits.ADDRESS_SPACE_BYTES
                ? Integer.MAX_VALUE
                : (int) Math.min(Integer.MAX_VALUE, most / KEPT_SHARE / kept);
    }

    /** Opens an arena of all threads whose close is deferred. */
    public Arena openDeferred() {
        return deferred.open(watched == null ? null : watched.next(Kind.DEFERRED_ARENA));
    }

    /** Whether the first chunk of an arena is a slab, rather than a small chunk. */
    static boolean isSlab(long first) {
        return Chunk.level(first) == 0;
    }

    /** Opens an arena of the running thread. */
    public Arena openConfined() {
        return watched == null ? new ConfinedArena(this) : openSampled(watched);
    }

    private Arena openSampled(Sampler sampler) {
        return new ConfinedArena(this, sampler.next(Kind.CONFINED_ARENA));
    }

    /** Opens an arena of the running thread, for a recycling one. */
    public Arena openForRecycling() {
        return new ConfinedArena(this, watched == null ? null : watched.next(Kind.RECYCLING_ARENA));
    }

    /** Opens an arena of all threads. */
    public Arena openShared() {
        return new SharedArena(source, watched == null ? null : watched.next(Kind.SHARED_ARENA));
    }

    /**
     * What a thread keeps at hand, for a confined arena of it that is about to take a slab.
     *
     * @param owner the running thread
     * @param lease what is watched in place of the arena; null if it is not
     * @return null for a virtual thread, and for one that may not keep any
     */
    @Nullable ThreadSlabs home(Thread owner, @Nullable Lease lease) {
        if (lease != null) {
            lease.holds(slabBytes);
        }
        return keeper(threads.find(owner));
    }

    /**
     * What a thread keeps at hand, if it may keep slabs.
     *
     * @param home what it keeps; null for a virtual thread
     * @return null for a virtual thread, and for one that may not keep any
     */
    @Nullable ThreadSlabs keeper(@Nullable ThreadSlabs home) {
        return home == null || home.keeps || registry.mayKeep(home) ? home : null;
    }

    /** Takes a slab from a slot for a confined arena of the running thread; 0 if there is none. */
    long takeSlot() {
        return slots.takeSlab(Thread.currentThread().threadId());
    }

    /**
     * Takes the first chunk of a confined arena of the running thread, when none is at hand. When
     * it returns a chunk, that has left the place it was in: the caller stores it at once.
     *
     * @param home what the thread keeps; null for a virtual thread
     * @param bytes its first request; at most a slab
     * @param lease what is watched in place of the arena; null if it is not
     * @return a slab, or a small chunk; {@link Chunk#NONE} if the system has no memory
     * @throws OutOfMemoryError if a limit is in the way
     */
    long take(@Nullable ThreadSlabs home, long bytes, @Nullable Lease lease) {
        if (home != null) {
            ConfinedArena.finishAll(home);
        }
        try {
            return home == null ? takeForVirtual(bytes, lease) : takeMore(home, bytes, lease);
        } catch (OutOfMemoryError tooMuch) {
            return takeLeast(bytes, lease);
        }
    }

    /** Takes the smallest chunk that will do, where there is no room for more. */
    private long takeLeast(long bytes, @Nullable Lease lease) {
        while (true) {
            try {
                return takeFirst(ChunkLevel.bytes(ChunkLevel.fitting(bytes)), lease);
            } catch (OutOfMemoryError failure) {
                if (!source.makeRoom(failure)) {
                    if (lease != null) {
                        lease.holds(0);
                    }
                    source.tell(failure);
                    throw failure;
                }
            }
        }
    }

    /** Takes a small chunk; the lease is told before, since afterwards nothing may throw. */
    private long takeFirst(long bytes, @Nullable Lease lease) {
        if (lease != null) {
            lease.holds(bytes);
        }
        return source.takeFirst(bytes);
    }

    private long takeForVirtual(long bytes, @Nullable Lease lease) {
        long hint = Thread.currentThread().threadId();
        long slab = slots.takeSlab(hint);
        if (slab != 0) {
            return slab;
        }
        int at = slots.takeEmpty(hint);
        if (at == SlabSlots.NONE) {
            return takeFirst(firstBytes(bytes), lease);
        }
        try {
            slab = source.takeSlab();
            return slab;
        } finally {
            slots.words[at] = slab == Chunk.NONE ? 0 : slab | SlabSlots.TAKEN;
        }
    }

    private long takeMore(ThreadSlabs home, long bytes, @Nullable Lease lease) {
        if (!home.mayOwn()) {
            long small = home.takeSmall(bytes);
            return small != 0 ? small : takeFirst(firstBytes(bytes), lease);
        }
        registry.look();
        long slab = Chunk.NONE;
        home.words[ThreadSlabs.OWNED]++;
        try {
            slab = source.takeSlab();
            return slab;
        } finally {
            if (slab == Chunk.NONE) {
                home.words[ThreadSlabs.OWNED]--;
            }
        }
    }

    /** How many bytes the first chunk of an arena has. */
    long bytesOf(long first) {
        return isSlab(first) ? slabBytes : Chunk.bytes(first);
    }

    /** The size of the first chunk of an arena that begins with a request of so many bytes. */
    private long firstBytes(long bytes) {
        long first = source.growth().firstBytes(GrowthHistory.kind(bytes));
        return Math.max(Math.min(first, slabBytes), ChunkLevel.bytes(ChunkLevel.fitting(bytes)));
    }

    /**
     * Clears the slab of a confined arena and takes it back. Runs in the thread that took it. When
     * it returns, the slab has left the arena; when it throws, it has not.
     *
     * <p>Compilers inline what is done where little was used, and call {@link #giveMore} otherwise.
     *
     * @param home what the thread keeps; null for a virtual thread
     * @param slab what {@link ThreadSlabs#take}, {@link #takeSlot} or {@link #take} returned
     * @param top the address from which on it reads as zero
     */
    void give(@Nullable ThreadSlabs home, long slab, long top) {
        if (closable != null && closable.closed()) {
            giveToClosed(home, slab, top);
        } else if (top - slab > GRAIN || home == null) {
            giveMore(home, slab, top);
        } else {
            giveLeast(home, slab);
        }
    }

    /** One grain was used, or nothing; most arenas of libraries hold no more. */
    private static void giveLeast(ThreadSlabs home, long slab) {
        ADDRESS_SPACE.set(WORD, slab + 8, 0L);
        ADDRESS_SPACE.set(WORD, slab, 0L);
        giveHome(home, slab);
    }

    private static void giveHome(ThreadSlabs home, long slab) {
        if (!home.give(slab)) {
            throw new AssertionError("a thread keeps all it owns: slab=" + Long.toHexString(slab));
        }
    }

    /**
     * Nobody takes from a closed pool any more, so nothing is kept at hand. Who releases the pool
     * is woken first, and comes later: when this has given the slab back, it must not throw any
     * more.
     */
    private void giveToClosed(@Nullable ThreadSlabs home, long slab, long top) {
        source.gave(true);
        if (home == null) {
            giveMore(null, slab, top); // into a slot, from where a tick takes it
        } else {
            source.giveBack(source.chunk(slab), top - slab);
            home.words[ThreadSlabs.OWNED]--;
        }
    }

    /**
     * Does the same for whatever was used.
     *
     * <p>The stores are written out rather than looped, and thereby the method is longer than what
     * HotSpot inlines into a hot caller ({@code FreqInlineSize}). Both are wanted: one store
     * through a segment is hundreds of nodes to the compiler, and with more than a few of them
     * inlined, the caller's own arenas no longer are.
     */
    @SuppressWarnings("fallthrough")
    private void giveMore(@Nullable ThreadSlabs home, long slab, long top) {
        long dirtyBytes = top - slab;
        if (dirtyBytes > COPY_FROM_BYTES) {
            Zeroing.zero(slab, dirtyBytes);
        } else {
            switch ((int) (dirtyBytes + GRAIN - 1) >>> GRAIN_SHIFT) {
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
        if (home == null) {
            giveSlot(slab);
        } else {
            giveHome(home, slab);
        }
    }

    /**
     * Does the same for an arena that has not just a slab, or that is watched.
     *
     * @param home what the thread keeps; null for a virtual thread
     * @param first what {@link #take} returned; not read where there are chunks
     * @param chunks all chunks, the first one included; null if there is no other
     * @param top the address of the first free byte of the current one
     * @param limit where that ends; 0 if the chunks know its top
     * @param mark what {@link #mark} returned
     * @param lease what is watched in place of the arena; null if it is not
     */
    void giveOther(
            @Nullable ThreadSlabs home,
            long first,
            @Nullable ArenaChunks chunks,
            long top,
            long limit,
            int mark,
            @Nullable Lease lease) {
        if (lease != null) {
            lease.close();
        }
        if (chunks != null) {
            giveChunks(home, chunks, limit == 0 ? 0 : top);
        } else if (first != Chunk.NONE) {
            if (isSlab(first)) {
                give(home, first, top);
            } else {
                giveSmall(home, first, top, FirstMark.turn(mark));
            }
        }
    }

    private void giveSmall(@Nullable ThreadSlabs home, long small, long top, int turn) {
        long address = Chunk.address(small);
        Zeroing.zero(address, top - address);
        if (home != null && !source.closed() && home.giveSmall(small, turn)) {
            return;
        }
        boolean warm = source.giveBack(small, 0);
        try {
            source.gave(warm);
        } catch (Throwable lost) {
            // It is given. Who waits for memory looks for itself, and the next free wakes the tick.
        }
    }

    private void giveChunks(@Nullable ThreadSlabs home, ArenaChunks chunks, long top) {
        if (top != 0) {
            chunks.setTop(top);
        }
        chunks.giveRest();
        long slab = chunks.slab();
        if (slab != Chunk.NONE) {
            give(home, slab, slab + chunks.slabUsedBytes());
            chunks.words[0] = Chunk.NONE;
        }
    }

    private void giveSlot(long slab) {
        int slot = slots.find(Thread.currentThread().threadId(), slab);
        if (slot == SlabSlots.NONE) {
            throw new AssertionError("a slab of a slot returns to it: " + Long.toHexString(slab));
        }
        slots.give(slot, slab);
    }

    /**
     * The chunks of an arena that outgrows its first one.
     *
     * @param first its first chunk; {@link Chunk#NONE} if it has none
     * @param top the address of the first free byte in it
     * @param mark what {@link #mark} returned; 0 if it has no first chunk
     */
    ArenaChunks grow(long first, long top, int mark) {
        if (first == Chunk.NONE) {
            return new ArenaChunks(source);
        }
        long chunk = source.chunk(first);
        return new ArenaChunks(source, chunk, isSlab(first), top, FirstMark.kind(mark));
    }

    /**
     * Allocates from the chunks of a confined arena.
     *
     * @see ArenaChunks#allocate
     */
    long allocate(ArenaChunks chunks, long bytes, long alignment) {
        while (true) {
            try {
                return chunks.allocate(bytes, alignment);
            } catch (OutOfMemoryError failure) {
                if (!source.makeRoom(failure)) {
                    source.tell(failure);
                    throw failure;
                }
            }
        }
    }

    /**
     * What an arena must remember of its first chunk, if that is no slab.
     *
     * @param home what the thread keeps; null for a virtual thread
     * @param bytes its first request
     * @return a {@link FirstMark}
     */
    int mark(@Nullable ThreadSlabs home, long bytes) {
        return FirstMark.of(home == null ? 0 : home.nextTurn(), GrowthHistory.kind(bytes));
    }

    /**
     * Closes what waits to be closed, and drains what is kept. Runs actions of users: to be called
     * with no lock held, and not in the background.
     *
     * @return how many slabs and small chunks came back
     */
    public int trim() {
        deferred.closePending();
        return drain();
    }

    /**
     * Gives the slabs back that nobody needs now: those in slots, those of threads that ended, and
     * those of the running thread. What other living threads keep stays with them.
     *
     * @return how many slabs and small chunks
     */
    public int drain() {
        ThreadSlabs own = threads.known(Thread.currentThread());
        if (own != null) {
            ConfinedArena.finishAll(own);
        }
        return reclaim();
    }

    /** Does so with locks held: ends no close that was cut off. */
    private int reclaim() {
        ThreadSlabs own = threads.known(Thread.currentThread());
        return registry.reclaim()
                + slots.drainTo(source)
                + kept.drain()
                + (own == null ? 0 : own.drainTo(source));
    }

    /**
     * A tick: gives back to the space the chunks that were kept since the last one.
     *
     * @return whether others are kept, so that there must be another tick
     */
    public boolean decay() {
        return kept.tick();
    }

    /** Hands out no more memory; takes back what arenas give. */
    public void close() {
        source.close();
        deferred.close();
        int _ = kept.drain();
    }

    /**
     * Closes in the background what was deferred.
     *
     * @return whether it must be called again
     */
    public boolean tick() {
        return deferred.tick();
    }

    /** How many groups of deferred arenas are not closed yet. */
    public int deferredGroups() {
        return deferred.count();
    }

    /** What closed deferred arenas had, and waits for others of their group. */
    public long deferredRetainedBytes() {
        return deferred.retainedBytes();
    }

    /** How many threads keep slabs. */
    public int threadCount() {
        return registry.threads();
    }

    private static int ceilingPowerOfTwo(int value) {
        return Integer.highestOneBit(Math.max(1, 2 * value - 1));
    }
}
