package io.polder.arena;

import java.util.HashSet;
import java.util.Set;

/** Pools of slabs for the states of tests, and the question where all their slabs are. */
public final class Slabs {
    /** Two actors, and one slot for a mistake to show in. */
    private static final int SLOTS = 2;

    /**
     * Shared by all states of {@link #pool}: shared arenas never ask for the slabs of a thread, and
     * a table for each state would be the largest part of it.
     */
    private static final ThreadTable NOT_USED =
            new ThreadTable(new ThreadRegistry(source(OneBlock.NO_MEMORY)), 1);

    private Slabs() {}

    /** A pool for shared arenas whose slabs lie in a block. */
    static SlabMemory pool(long block) {
        SlabSource source = source(block);
        return new SlabMemory(
                NOT_USED,
                new SlabSlots(SLOTS),
                new ThreadRegistry(source),
                source,
                Blocks.SLAB_BYTES);
    }

    /** A source of slabs that lie in a block. */
    static SlabSource source(long block) {
        return new SlabSource(new OneBlock(block), Blocks.SLAB_BYTES);
    }

    /**
     * Says where the slabs of a pool are, when no arena is open and no thread keeps any: {@code
     * home} if each is in exactly one slot or free in the source. Takes them all, so ask once.
     */
    public static String whereabouts(SlabMemory memory) {
        Set<Long> seen = new HashSet<>();
        SlabSlots slots = memory.slots();
        int slot = slots.take(0);
        for (int i = 0; slot >= 0; i++, slot = slots.take(i)) {
            if (slot != i) {
                return "slot still taken: " + i;
            }
            long slab = slots.slab(slot);
            if (slab != 0 && !seen.add(slab)) {
                return "slab in two slots";
            }
        }
        SlabSource.Counts counts = memory.source().counts();
        for (long i = counts.free(); i > 0; i--) {
            if (!seen.add(memory.source().tryTake())) {
                return "slab in two places";
            }
        }
        return seen.size() == counts.cut() ? "home" : "lost: " + (counts.cut() - seen.size());
    }
}
