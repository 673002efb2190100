package io.polder.heap.space;

import io.polder.page.space.Extent;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongFunction;

/**
 * All regions of a heap.
 *
 * <pre>{@code
 *           open                                close
 *   OPENING -----> OPEN, with a page, in the map -----> CLOSING ----> gone
 *      |                                                 |  ^
 *      | cut off                                 cut off |  | next open, or close of the heap
 *      +----------------------------> CUT_OFF <----------+  |
 *                                        +------------------+
 * }</pre>
 *
 * <p>Invariants: an OPEN region is here and in the {@link RegionMap} from before its first object
 * until after the grace period that follows its last; the pages taken are those of the regions here
 * and of the handle table.
 *
 * <p>A region whose bytes are still {@linkplain Loans lent} stays OPEN, and in the map, whoever
 * wants to close it, until a later attempt finds that nobody can use the segment any more.
 *
 * <p>Failure. A region is here before its page is taken, and until that is given back; page and
 * state are written by stores in place. Whoever is cut off in between leaves it CUT_OFF, with its
 * page if it has one, and the next one who comes by gives that back.
 *
 * <p>Thread-safe: a monitor around the list, with nothing else under it.
 */
final class Regions {
    private final HeapPages pages;
    private final RegionMap map;
    private final Loans loans;
    private final Object lock = new Object();
    private @Nullable Region[] all = new @Nullable Region[16];
    private int count;

    /** Whether there may be one that is CUT_OFF. */
    private volatile boolean cutOff;

    Regions(HeapPages pages, RegionMap map, Loans loans) {
        this.pages = pages;
        this.map = map;
        this.loans = loans;
    }

    /**
     * A new region of objects that share it, in a page of its own.
     *
     * @param bytes of the page, whole granules
     * @throws io.polder.memory.MemoryExhaustedException if a limit or the system is in the way
     */
    Region open(RegionType type, long bytes) {
        return open(new Region(type), bytes, pages::takeShared);
    }

    /** A new region to evacuate to. */
    Region openToEvacuate(RegionType type, long bytes) {
        return open(new Region(type), bytes, pages::takeToEvacuate);
    }

    /** A new region of one large object, which is retired. */
    Region openLarge(long sizeBytes) {
        return open(new Region(RegionType.LARGE), sizeBytes, pages::take);
    }

    private Region open(Region region, long bytes, LongFunction<Extent> pageTaker) {
        closeCutOff();
        boolean large = region.type() == RegionType.LARGE;
        add(region);
        boolean opened = false;
        try {
            Extent page = pageTaker.apply(large ? RegionType.largeBytes(bytes) : bytes);
            region.page = page;
            region.begin(page);
            if (large) {
                region.fillWithOne(bytes);
            }
            map.add(region);
            region.state = Region.OPEN;
            opened = true;
            return region;
        } finally {
            if (!opened) {
                region.state = Region.CUT_OFF;
                cutOff = true;
                closeCutOff();
            }
        }
    }

    private void add(Region region) {
        synchronized (lock) {
            if (count == all.length) {
                all = Arrays.copyOf(all, 2 * count);
            }
            all[count] = region;
            count++;
        }
    }

    /**
     * Gives a region's page back, in which nobody can find an object any more, unless it is lent.
     *
     * @return how many bytes
     */
    long close(Region region) {
        if (region.state != Region.OPEN || stays(region)) {
            return 0;
        }
        region.state = Region.CLOSING;
        boolean closed = false;
        try {
            giveBack(region);
            closed = true;
            return region.bytes();
        } finally {
            if (!closed) {
                region.state = Region.CUT_OFF;
                cutOff = true;
            }
        }
    }

    /** One that stays is in no collection set: nothing lives there whose word a cycle changes. */
    private boolean stays(Region region) {
        if (!loans.hold(region)) {
            return false;
        }
        region.setLent(true);
        region.setPhase(Region.STABLE);
        region.setInCollectionSet(false);
        return true;
    }

    /**
     * Gives back the pages of regions in which nobody can find an object any more, but for those
     * that are lent.
     *
     * @return how many bytes
     */
    long close(List<Region> regions) {
        long bytes = 0;
        for (Region region : regions) {
            bytes += close(region);
        }
        return bytes;
    }

    /**
     * Gives back the pages of regions that others were opening or closing when they were cut off.
     */
    void closeCutOff() {
        while (cutOff) {
            Region region = null;
            boolean closed = false;
            try {
                region = takeCutOff();
                if (region == null) {
                    return;
                }
                giveBack(region);
                closed = true;
            } finally {
                if (!closed && region != null) {
                    region.state = Region.CUT_OFF;
                    cutOff = true;
                }
            }
        }
    }

    private @Nullable Region takeCutOff() {
        synchronized (lock) {
            cutOff = false; // first: whoever is cut off from here on says so again
            for (int i = 0; i < count; i++) {
                Region region = all[i];
                if (region != null && region.state == Region.CUT_OFF) {
                    cutOff = true;
                    region.state = Region.CLOSING;
                    return region;
                }
            }
            return null;
        }
    }

    private void giveBack(Region region) {
        Extent page = region.page;
        if (page != null) {
            map.remove(region);
            pages.give(page, region.filledBytes());
            region.page = null;
        }
        synchronized (lock) {
            for (int i = 0; i < count; i++) {
                if (all[i] == region) {
                    count--;
                    all[i] = all[count];
                    all[count] = null;
                    return;
                }
            }
        }
    }

    /** The regions of this moment. */
    List<Region> list() {
        synchronized (lock) {
            List<Region> open = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                Region region = all[i];
                if (region != null && region.state == Region.OPEN) {
                    if (region.isLent()) {
                        region.setLent(loans.hold(region));
                    }
                    open.add(region);
                }
            }
            return open;
        }
    }

    int count() {
        synchronized (lock) {
            return count;
        }
    }
}
