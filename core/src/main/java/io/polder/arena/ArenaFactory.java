package io.polder.arena;

import io.polder.background.Step;
import io.polder.chunk.Chunk;
import io.polder.leak.Kind;
import io.polder.leak.LeakTracker;
import io.polder.leak.Sampler;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.ref.WeakReference;

/**
 * Opens the arenas of one pool, and ends what they share.
 *
 * <p>A record, because compilers trust the fields of records: with a pool in a static final field,
 * an arena's code holds these references as constants.
 *
 * <p>Thread-safe.
 *
 * @param entries of the registry, for a look without any call
 * @param registry finds the caches of threads that keep slabs
 * @param slots the slabs that other threads exchange
 * @param slabs takes and gives memory of confined arenas
 * @param source the chunks that nobody keeps
 * @param chunkCache free chunks for arenas that outgrow a slab
 * @param deferred the groups of arenas whose close is deferred
 * @param slabBytes the size of a slab
 * @param sampler chooses which arenas are tracked; null if none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and never handed out
public record ArenaFactory(
        @Nullable ThreadCache[] entries,
        ThreadRegistry registry,
        SlabSlots slots,
        SlabCache slabs,
        ChunkSource source,
        ChunkCache chunkCache,
        DeferredGroups deferred,
        long slabBytes,
        @Nullable Sampler sampler) {

    /** Guessed: room for virtual threads that block while an arena is open. */
    private static final int SLOTS_PER_PROCESSOR = 16;

    private static final int SLOTS_MIN = 64;

    /** What threads keep that no other can take away is such a part of the limit; guessed. */
    private static final int KEPT_SHARE = 8;

    /** The same of what the others exchange. */
    private static final int EXCHANGED_SHARE = 16;

    static {
        // A compiler inlines no call whose signature names a class that is not loaded, and these
        // are loaded late or never otherwise: each arena would be an object.
        Class<?> _ = LeakTracker.class;
        Class<?> _ = ConfinedChunks.class;
    }

    /**
     * Arenas of a pool that has no memory yet.
     *
     * @param source where the memory comes from
     * @param perThread how many slabs a platform thread keeps, 1 or more
     * @param onDeferredClose makes somebody call {@link #tick} soon; called often
     * @param processors how many threads run at one time, at most; 1 or more
     * @param sampler chooses which arenas are tracked; null if none
     */
    public static ArenaFactory create(
            ChunkSource source,
            int perThread,
            Runnable onDeferredClose,
            int processors,
            @Nullable Sampler sampler) {
        long keepers = source.limitBytes() / KEPT_SHARE / (perThread * source.slabBytes());
        ThreadRegistry registry =
                new ThreadRegistry(source, (int) Math.min(Integer.MAX_VALUE, keepers), perThread);
        int wanted = Math.max(SLOTS_MIN, processors * SLOTS_PER_PROCESSOR);
        int count = Integer.highestOneBit(2 * wanted - 1); // rounded up
        long most = source.limitBytes() / EXCHANGED_SHARE / source.slabBytes();
        SlabSlots slots = new SlabSlots(count, (int) Math.min(count, most));
        ArenaFactory arenas =
                new ArenaFactory(
                        registry.entries,
                        registry,
                        slots,
                        new SlabCache(registry, slots, source),
                        source,
                        new ChunkCache(source, processors),
                        new DeferredGroups(source, onDeferredClose),
                        source.slabBytes(),
                        sampler);
        source.reclaim = arenas::drain;
        source.cacheIn(arenas.chunkCache);
        return arenas;
    }

    /**
     * The same, with the same memory, by which arenas are tracked otherwise.
     *
     * @param other chooses which; null if none
     */
    public ArenaFactory trackedBy(@Nullable Sampler other) {
        return new ArenaFactory(
                entries, registry, slots, slabs, source, chunkCache, deferred, slabBytes, other);
    }

    /** Opens an arena of all threads whose close is deferred. */
    public Arena openDeferred() {
        return deferred.open(sampler == null ? null : sampler.track(Kind.DEFERRED_ARENA));
    }

    /** Opens an arena of the running thread, of a pool that is never closed. */
    public Arena openConfined() {
        Arena lifetime = Arena.ofConfined();
        long id = Thread.currentThread().threadId();
        SlabOwner guess = sampler == null ? guess(id) : guess(sampler, id);
        return new ConfinedArena(lifetime, guess, slots, id, slabBytes);
    }

    /**
     * Opens an arena of the running thread, of a pool that may be closed meanwhile.
     *
     * @throws IllegalStateException if it was
     */
    public Arena openConfinedUnlessClosed() {
        ConfinedArena arena = (ConfinedArena) openConfined();
        try {
            arena.confirm();
        } catch (Error cutOff) { // by stores: the stack may have ended
            if (arena.home instanceof ThreadCache own) {
                own.words[ThreadCache.TOP] = arena.first; // if revoked, that is found there
            } else if (arena.first != Chunk.NONE) { // of a slot, which others may have filled
                arena.dropped = true;
                arena.next = slots.cutOff;
                slots.cutOff = arena;
            }
            throw cutOff;
        }
        return arena;
    }

    /** What a thread keeps if the entry is its own: its owner's id says so. */
    private @Nullable ThreadCache guess(long id) {
        return entries[(int) id & (ThreadRegistry.ENTRIES - 1)];
    }

    /** An owner of the arena's own, if that is tracked. */
    private @Nullable SlabOwner guess(Sampler known, long id) {
        LeakTracker tracker = known.track(Kind.CONFINED_ARENA);
        return tracker == null ? guess(id) : new TrackedOwner(slabs, tracker);
    }

    /**
     * Says that all confined arenas are opened by {@link #openConfinedUnlessClosed}, so that what
     * threads keep at hand can be taken from them.
     *
     * @param fence fences all threads
     * @return the same arenas
     */
    public ArenaFactory revokedBy(Runnable fence) {
        registry.fence = fence;
        return this;
    }

    /** Opens an arena of all threads. */
    public Arena openShared() {
        return new SharedArena(source, sampler == null ? null : sampler.track(Kind.SHARED_ARENA));
    }

    /**
     * Closes what waits to be closed, and drains the caches. Runs actions of users: to be called
     * with no lock held, and not in the background.
     *
     * @return how many slabs and chunks came back
     */
    public int trim() {
        deferred.closePending();
        return drain();
    }

    /**
     * Does the same for a thread that finds no memory; also with no lock held.
     *
     * @return whether anything came back, so that another attempt is worth it
     */
    public boolean makeRoom() {
        int closed = deferred.closePending();
        return drainAll() + closed > 0;
    }

    /** How many closes of deferred arenas have ended so far. */
    public long closesEnded() {
        return deferred.ended.get();
    }

    /**
     * Waits for closes of deferred arenas that other threads have under way; not for long, and with
     * no lock held.
     *
     * @param endedBefore how many had ended before the attempt that failed
     * @return whether it waited, or one has ended since
     */
    public boolean awaitClosing(long endedBefore) {
        return deferred.awaitClosing(endedBefore);
    }

    /**
     * Gives the memory back that nobody needs now: cached chunks, slabs in slots, those of threads
     * that ended, and those of the running thread. What other living threads keep stays with them.
     *
     * @return how many slabs and chunks
     */
    public int drain() {
        return slabs.drain() + chunkCache.drain();
    }

    /** Gives back also what living threads keep, if that can be taken from them. */
    public int drainAll() {
        return drain() + registry.revoke();
    }

    /**
     * What has to be done now and then, since Java tells nobody of the end of a thread: looks for
     * those that have ended, and gives back what they kept, and what has been idle in slots.
     */
    public Step endedThreads() {
        WeakReference<SlabCache> weak = new WeakReference<>(slabs); // its task keeps no pool
        return () -> {
            SlabCache known = weak.get();
            return known != null && known.tick();
        };
    }

    /**
     * A tick: gives back to the space the chunks that were cached before the last one and that
     * nobody has taken since.
     *
     * @return whether others are cached, so that there must be another tick
     */
    public boolean decay() {
        return chunkCache.tick();
    }

    /** Hands out no more memory; takes back what arenas give. */
    public void close() {
        source.closed = true;
        slabs.close();
        deferred.close();
        int _ = chunkCache.drain();
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
}
