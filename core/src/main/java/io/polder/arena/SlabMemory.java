package io.polder.arena;

import io.polder.memory.MemoryProvider;

import java.lang.foreign.Arena;

/**
 * The slabs of one pool, and who keeps them.
 *
 * <pre>{@code
 *                    arenas
 *                /     |     \
 *     ThreadTable      |      SlabSlots        platform threads | virtual threads
 *          |           | neither has one, or the arena is shared
 *     ThreadRegistry   |
 *          \ ended     |
 *           +----> SlabSource ----> MemoryProvider
 * }</pre>
 *
 * <p>A slab is at every moment in exactly one place: an arena, a thread's cache, a slot, or the
 * source. Outside an arena it reads as zero.
 *
 * <p>A record, because compilers trust the fields of records: with a pool in a static final field,
 * an arena's code holds these references as constants.
 *
 * <p>Thread-safe.
 *
 * @param threads the slabs that platform threads keep
 * @param slots the slabs that virtual threads exchange
 * @param registry which threads keep slabs
 * @param source the slabs that nobody keeps
 * @param slabBytes the size of each
 */
public record SlabMemory(
        ThreadTable threads,
        SlabSlots slots,
        ThreadRegistry registry,
        SlabSource source,
        long slabBytes) {

    /** Guessed: room for virtual threads that block while an arena is open. */
    private static final int SLOTS_PER_PROCESSOR = 16;

    private static final int SLOTS_MIN = 64;

    /**
     * Slabs without memory yet.
     *
     * @param provider where the memory comes from
     * @param settings size and count; must be {@linkplain SlabSettings#enabled() enabled}
     * @param processors how many threads run at one time, at most; 1 or more
     */
    public static SlabMemory create(
            MemoryProvider provider, SlabSettings settings, int processors) {
        if (!settings.enabled()) {
            throw new IllegalArgumentException("slabs are off: settings=" + settings);
        }
        SlabSource source = new SlabSource(provider, settings.bytes());
        ThreadRegistry registry = new ThreadRegistry(source);
        int slots = Math.max(SLOTS_MIN, ceilingPowerOfTwo(processors * SLOTS_PER_PROCESSOR));
        return new SlabMemory(
                new ThreadTable(registry, settings.count()),
                new SlabSlots(slots),
                registry,
                source,
                settings.bytes());
    }

    /** Opens an arena of the running thread. */
    public Arena openConfined() {
        return new ConfinedArena(this);
    }

    /** Opens an arena of all threads. */
    public Arena openShared() {
        return new SharedArena(this);
    }

    /**
     * Takes a slab that nobody keeps; looks for threads that ended before it asks the system.
     *
     * @return 0 if the system has no memory
     */
    long takeFromSource() {
        long slab = source.tryTake();
        if (slab == 0 && registry.reclaim() > 0) {
            slab = source.tryTake();
        }
        return slab != 0 ? slab : source.take();
    }

    /**
     * Takes a slot that has a slab.
     *
     * @param hint where to look first: the running thread's id
     * @return the slot; -1 if those looked at are taken, or the system has no memory
     */
    int takeSlot(long hint) {
        int slot = slots.take(hint);
        if (slot >= 0 && slots.slab(slot) == 0) {
            long slab = takeFromSource();
            if (slab == 0) {
                slots.give(slot, 0);
                return -1;
            }
            slots.bind(slot, slab);
        }
        return slot;
    }

    /**
     * Takes back a slab that no thread keeps.
     *
     * @param slot the slot it came from, or -1
     * @param slab the slab, which must read as zero
     */
    void give(int slot, long slab) {
        if (slot >= 0) {
            slots.give(slot, slab);
        } else {
            source.give(slab);
        }
    }

    /** A view of the counts; those of the source are of one moment. */
    public SlabCounts counts() {
        SlabSource.Counts counts = source.counts();
        return new SlabCounts(
                counts.reservedBytes(),
                counts.cut(),
                counts.free(),
                registry.threads(),
                counts.failures());
    }

    /** Checks the invariants of what can be checked while threads run. */
    public void verify() {
        source.verify();
    }

    private static int ceilingPowerOfTwo(int value) {
        return Integer.highestOneBit(Math.max(1, 2 * value - 1));
    }
}
