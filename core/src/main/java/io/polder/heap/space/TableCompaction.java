package io.polder.heap.space;

import io.polder.gate.Gate;
import io.polder.memory.MemoryExhaustedException;

import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Makes the handle table smaller when that gives back half of it.
 *
 * <pre>{@code
 *   pages now  >=  WASTE x what the words of the objects take    cheap: asked in each cycle
 *   pages now  >=  WASTE x what it takes if it is rebuilt        a look at all words: only if there
 *                                                                is another number of objects than
 *                                                                at the last look
 * }</pre>
 *
 * <p>Pages are whole, and what a rebuild has packed is filled again, which takes up to as much as
 * it gave back: a table that needs one page may have two again after a few leaves more. So after a
 * rebuild just half is not enough before objects have become fewer.
 *
 * <p>A rebuild can be left, and goes on the next time. Where there is no room for it, pages that
 * its leaves have left are given back, and it goes on: so in a heap that is full from one page to
 * the next.
 *
 * <p>Used by one thread at a time, which must not be inside the access gate.
 */
final class TableCompaction {
    /** A table is rebuilt if it has more than so many times the pages that are needed. */
    private static final int WASTE = 2;

    /** So many fewer or more objects are worth another look at the words: guessed. */
    private static final int CHANGED_PART = 8;

    private final Gate access;
    private final Regions regions;
    final HandleLeaves leaves;

    /**
     * As they were when the words were looked at the last time; 0 if they were not since a rebuild.
     */
    private long objectsThen;

    /** How many pages a rebuild would have left then. */
    private long pagesNeeded;

    /** The most that were seen since the last rebuild; no number is too many before the first. */
    private long objectsMost = Long.MAX_VALUE;

    /** Whether there was no room for what the last run had to do. */
    boolean lacksRoom;

    TableCompaction(Gate access, Regions regions, HandleLeaves leaves) {
        this.access = access;
        this.regions = regions;
        this.leaves = leaves;
    }

    /**
     * Rebuilds the table if it is worth it, and gives back pages that are not used any more.
     *
     * @param yields says whether others wait, for whom this is left as it is
     * @param lastRoom whether the heap is full, and that is {@linkplain #isWorthMuch worth it}: it
     *     is rebuilt into what is left to evacuate objects to
     * @return whether there is nothing left to do
     */
    boolean run(Throttle throttle, BooleanSupplier yields, boolean lastRoom) {
        lacksRoom = false;
        boolean done = !(lastRoom || isWanted()) || rebuild(throttle, yields, lastRoom);
        boolean _ = giveUnused();
        return done;
    }

    /** Returns whether there is nothing left to do, or no room for it. */
    private boolean rebuild(Throttle throttle, BooleanSupplier yields, boolean lastRoom) {
        do {
            try {
                boolean done = leaves.rebuild(throttle, yields, lastRoom);
                lacksRoom = false;
                if (done) {
                    objectsThen = 0;
                    objectsMost = objects();
                }
                return done;
            } catch (MemoryExhaustedException full) {
                lacksRoom = true; // there may be some in pages that no leaf is in any more
            } catch (IllegalStateException closedPool) {
                lacksRoom = false; // the same, or never again
            }
        } while (giveUnused());
        return true;
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
        long pages = pages();
        return leaves.isRebuilding() || isEnough(pages - Math.max(2, pages / 8), objects());
    }

    /** Whether so many pages are enough for these objects. */
    private boolean isEnough(long most, long objects) {
        return pagesOf(objects) <= most && pagesNeeded(objects) <= most;
    }

    /** How many pages a rebuild would leave, as far as it is known. */
    private long pagesNeeded(long objects) {
        if (Math.abs(objects - objectsThen) >= objectsThen / CHANGED_PART) {
            pagesNeeded = leaves.pagesNeeded();
            objectsThen = objects;
        }
        return pagesNeeded;
    }

    private long objects() {
        return regions.sum(Region::liveObjects);
    }

    /** What the words of so many objects take at least. */
    private static long pagesOf(long objects) {
        return (objects * Long.BYTES + TablePages.BYTES - 1) / TablePages.BYTES;
    }

    private long pages() {
        return leaves.pageBytes() / TablePages.BYTES;
    }

    /** Whether there is something to do. */
    boolean isWanted() {
        return leaves.isRebuilding() || isWorthIt();
    }

    private boolean isWorthIt() {
        long pages = pages();
        if (pages < WASTE) {
            return false;
        }
        long objects = objects();
        objectsMost = Math.max(objectsMost, objects);
        boolean areFewer = objects < objectsMost - objectsMost / CHANGED_PART;
        long most = (areFewer ? pages : pages - 1) / WASTE; // that may be needed
        return isEnough(most, objects);
    }
}
