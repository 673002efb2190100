package io.polder.heap.space;

import io.polder.gate.Gate;
import io.polder.memory.MemoryExhaustedException;

import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Makes the handle table smaller when that gives back half of it.
 *
 * <pre>{@code
 *   pages now  >  WASTE x what the words of the objects take     cheap: asked in each cycle
 *   pages now  >  WASTE x what it takes if it is rebuilt         a look at all words: only if there
 *                                                                are fewer objects or more pages
 *                                                                than at the last look
 * }</pre>
 *
 * <p>Pages are whole: a table that needs one and has two is left as it is, since it would have two
 * again after a few leaves more. What a rebuild has packed is filled again, which takes up to as
 * much as it gave back.
 *
 * <p>A rebuild can be left, and goes on the next time. In a heap that is full it goes from one page
 * to the next, and gives old ones back in between.
 *
 * <p>Used by one thread at a time, which must not be inside the access gate.
 */
final class TableCompaction {
    /** A table is rebuilt if it has more than so many times the pages that are needed. */
    private static final int WASTE = 2;

    private final Gate access;
    private final Regions regions;
    private final HandleLeaves leaves;
    private final EvacuationCounts counts;

    /** As they were when the words were looked at the last time. */
    private long objectsThen = Long.MAX_VALUE;

    private long pagesThen;

    /** The same of a look in a heap that was full, after which it was not worth it. */
    private long vainObjects;

    private long vainPages;

    TableCompaction(Gate access, Regions regions, HandleLeaves leaves, EvacuationCounts counts) {
        this.access = access;
        this.regions = regions;
        this.leaves = leaves;
        this.counts = counts;
    }

    /**
     * Rebuilds the table if it is worth it, and gives back pages that are not used any more.
     *
     * @param yields says whether others wait, for whom this is left as it is
     * @return whether there is nothing left to do
     */
    boolean run(Throttle throttle, BooleanSupplier yields) {
        boolean done = true;
        if (leaves.isRebuilding() || isWorthIt()) {
            try {
                done = leaves.rebuild(throttle, yields);
            } catch (MemoryExhaustedException | IllegalStateException noRoomOrClosedPool) {
                objectsThen = Long.MAX_VALUE; // when there is some, it is tried again
                boolean _ = giveUnused(); // of a rebuild that a full heap had begun
                return true;
            }
            if (done) {
                counts.tableRebuilds.incrementAndGet();
                pagesThen = pages();
            }
        }
        boolean _ = giveUnused();
        return done;
    }

    /**
     * Rebuilds it where the heap is full, into what is left to evacuate objects to. Only if that is
     * {@linkplain #isWorthMuch worth it}.
     */
    void makeRoom(Throttle throttle) {
        boolean goesOn = true;
        while (goesOn) {
            try {
                leaves.rebuildInLastRoom(throttle);
                goesOn = false;
            } catch (MemoryExhaustedException | IllegalStateException noRoomOrClosedPool) {
                goesOn = giveUnused(); // then there is some
            }
        }
        if (!leaves.isRebuilding()) {
            counts.tableRebuilds.incrementAndGet();
            boolean _ = giveUnused();
        }
    }

    /** Returns whether there was any. */
    private boolean giveUnused() {
        List<TablePages.Place> unused = leaves.unused();
        if (unused.isEmpty()) {
            return false;
        }
        access.synchronize();
        leaves.give(unused);
        return true;
    }

    /** How many bytes a table of these objects need not have. */
    long wasteBytes() {
        return (pages() - pagesOf(objects())) * TablePages.BYTES;
    }

    /** Whether a rebuild gives more than a page back, and an eighth of all. */
    boolean isWorthMuch() {
        if (leaves.isRebuilding()) {
            return true;
        }
        long pages = pages();
        long objects = objects();
        long least = Math.max(2, pages / 8);
        boolean seen = pages <= vainPages && objects > vainObjects - vainObjects / 8;
        if (seen || pages - pagesOf(objects) < least) {
            return false;
        }
        boolean isWorthIt = pages - leaves.pagesNeeded() >= least;
        if (!isWorthIt) {
            vainObjects = objects;
            vainPages = pages;
        }
        return isWorthIt;
    }

    private long objects() {
        long objects = 0;
        for (Region region : regions.list()) {
            objects += region.liveObjects();
        }
        return objects;
    }

    /** What the words of so many objects take at least. */
    private static long pagesOf(long objects) {
        return (objects * Long.BYTES + TablePages.BYTES - 1) / TablePages.BYTES;
    }

    private long pages() {
        return leaves.pageBytes() / TablePages.BYTES;
    }

    private boolean isWorthIt() {
        long pages = pages();
        if (pages <= WASTE) {
            return false;
        }
        long objects = objects();
        boolean seen = pages <= pagesThen && objects > objectsThen - objectsThen / 4;
        if (pages <= WASTE * pagesOf(objects) || seen) {
            return false;
        }
        objectsThen = objects;
        pagesThen = pages;
        return pages > (long) WASTE * leaves.pagesNeeded();
    }
}
