package io.polder.heap.space;

import io.polder.page.space.Extent;

import java.util.ArrayList;
import java.util.List;

/**
 * All regions of a heap.
 *
 * <p>Invariants: a region is here and in the {@link RegionMap} from before its first object until
 * after the grace period that follows its last; the pages taken are those of the regions, of the
 * handle table and of what is in hand for evacuation.
 *
 * <p>Thread-safe: a monitor around the list, with nothing else under it.
 */
final class Regions {
    private final HeapPages pages;
    private final RegionMap map;
    private final List<Region> all = new ArrayList<>();

    Regions(HeapPages pages, RegionMap map) {
        this.pages = pages;
        this.map = map;
    }

    /**
     * A new region in a page of its own.
     *
     * @param bytes how large
     * @throws io.polder.memory.MemoryExhaustedException if a limit or the system is in the way
     */
    Region open(Kind kind, long bytes) {
        pages.keepRoomFor(kind);
        return open(kind, pages.take(bytes));
    }

    /** A new region to evacuate to. */
    Region openToEvacuate(Kind kind) {
        return open(kind, pages.takeToEvacuate(kind.bytes()));
    }

    private Region open(Kind kind, Extent page) {
        boolean added = false;
        try {
            Region region = new Region(page, kind);
            map.add(region);
            synchronized (all) {
                all.add(region);
            }
            added = true;
            return region;
        } finally {
            if (!added) {
                pages.give(page, 0);
            }
        }
    }

    /** Gives a region's page back, which nobody can see any more. */
    void close(Region region) {
        map.remove(region);
        synchronized (all) {
            all.remove(region);
        }
        pages.give(region.page(), region.filledBytes());
    }

    /** Gives back the pages of regions that nobody can see any more. */
    void close(List<Region> regions) {
        if (regions.isEmpty()) {
            return;
        }
        regions.forEach(map::remove);
        synchronized (all) {
            all.removeAll(java.util.Set.copyOf(regions));
        }
        for (Region region : regions) {
            pages.give(region.page(), region.filledBytes());
        }
    }

    /** The regions of this moment. */
    List<Region> list() {
        synchronized (all) {
            return new ArrayList<>(all);
        }
    }

    int count() {
        synchronized (all) {
            return all.size();
        }
    }
}
