package io.polder.arena;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;
import static io.polder.memory.Zeroing.COPY_FROM_BYTES;
import static io.polder.memory.Zeroing.WORD;

import io.polder.memory.MemoryProvider;
import io.polder.memory.Zeroing;

import org.jspecify.annotations.Nullable;

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
     * Takes a slab for a confined arena of the running thread.
     *
     * @param home what the thread keeps; null for a virtual thread
     * @return 0 if the system has no memory
     */
    long take(@Nullable ThreadSlabs home) {
        if (home == null) {
            return takeSlot();
        }
        long slab = home.take();
        return slab != 0 ? slab : takeFromSource();
    }

    private long takeSlot() {
        int slot = slots.take(Thread.currentThread().threadId());
        if (slot == SlabSlots.NONE) {
            return takeFromSource();
        }
        long slab = slots.slab(slot);
        return slab != 0 ? slab : fillSlot(slot);
    }

    private long fillSlot(int slot) {
        long slab = takeFromSource();
        if (slab == 0) {
            slots.give(slot, 0);
        } else {
            slots.bind(slot, slab);
        }
        return slab;
    }

    /**
     * Clears the slab of a confined arena and takes it back. Runs in the thread that took it.
     *
     * <p>The stores are written out rather than looped, and thereby the method is longer than what
     * HotSpot inlines into a hot caller ({@code FreqInlineSize}). Both are wanted: one store
     * through a segment is hundreds of nodes to the compiler, and with a few of them inlined, the
     * caller's own arenas no longer are.
     *
     * @param home what the thread keeps; null for a virtual thread
     * @param slab the slab
     * @param dirtyBytes how much of its front may not be zero; a multiple of {@link
     *     ConfinedArena#MIN_ALIGNMENT}
     */
    @SuppressWarnings("fallthrough")
    void give(@Nullable ThreadSlabs home, long slab, long dirtyBytes) {
        if (dirtyBytes > COPY_FROM_BYTES) {
            Zeroing.zero(slab, dirtyBytes);
        } else {
            switch ((int) (dirtyBytes / ConfinedArena.MIN_ALIGNMENT)) {
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
        } else if (!home.give(slab)) {
            source.give(slab);
        }
    }

    private void giveSlot(long slab) {
        int slot = slots.find(Thread.currentThread().threadId(), slab);
        if (slot != SlabSlots.NONE) {
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
