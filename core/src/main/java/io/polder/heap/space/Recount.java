package io.polder.heap.space;

import io.polder.gate.Gate;

import java.util.List;

/**
 * Counts what is dead in the regions from the words of the handle table, and finds leaves with free
 * slots, after an operation was cut off: the check that {@link Accounting} asks for.
 *
 * <pre>{@code
 *   how far each region is filled
 *   grace period        objects below that have a handle by now, or will never have one
 *   dead by words       those below that no word names
 *   grace period        each of them has been counted by now, or was lost
 *   dead counted     >= dead by words: what is missing is added
 * }</pre>
 *
 * <p>What dies meanwhile is counted by those who free it, and may hide that as much was lost. So
 * nothing is ever counted twice; in a heap that is not used at that time, all is found.
 *
 * <p>May be cut off itself, and is done again then. Used by one thread at a time, which must not be
 * inside the access gate, while no cycle is on.
 */
final class Recount {
    private final Accounting accounting;
    private final Gate access;
    private final Regions regions;
    private final HandleTable table;
    private final HandleLeaves leaves;

    /**
     * A recount of a heap that consists of these.
     *
     * @param accounting whether one is needed
     */
    Recount(
            Accounting accounting,
            Gate access,
            Regions regions,
            HandleTable table,
            HandleLeaves leaves) {
        this.accounting = accounting;
        this.access = access;
        this.regions = regions;
        this.table = table;
        this.leaves = leaves;
    }

    /** Counts if something may have been lost. */
    void runIfNeeded() {
        if (accounting.dirty) {
            run();
        }
    }

    private void run() {
        accounting.dirty = false; // first: what is lost from here on is for the next one
        boolean counted = false;
        try {
            leaves.recount();
            List<Region> all = regions.list();
            long[] filled = new long[all.size()];
            long[] dead = new long[all.size()];
            for (int i = 0; i < filled.length; i++) {
                filled[i] = all.get(i).filledBytes();
            }
            access.synchronize();
            for (int i = 0; i < filled.length; i++) {
                dead[i] = deadByWords(all.get(i), filled[i]);
            }
            access.synchronize();
            for (int i = 0; i < filled.length; i++) {
                all.get(i).deadAtLeast(dead[i]);
            }
            counted = true;
        } finally {
            if (!counted) {
                accounting.dirty = true;
            }
        }
    }

    /** What no word names of the objects in the front of a region, packed as the region does. */
    private long deadByWords(Region region, long filledBytes) {
        long prefix = region.type() == RegionType.LARGE ? Long.BYTES : 0;
        long end = region.address() + filledBytes;
        long dead = 0;
        for (long at = region.address() + prefix; at < end; ) {
            long footprint = ObjectLayout.footprint(ObjectLayout.sizeBytes(at));
            long word = table.word(ObjectLayout.index(at));
            boolean alive =
                    HandleWordLayout.state(word) != HandleWordLayout.FREE
                            && HandleWordLayout.address(word) == at;
            dead += alive ? 0 : Region.pack(prefix + footprint);
            at += footprint;
        }
        return dead;
    }
}
