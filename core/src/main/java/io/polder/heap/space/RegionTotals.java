package io.polder.heap.space;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * What all regions of a heap hold together, while objects are moved between them.
 *
 * <pre>{@code
 *   known, dead of each --> known from now on, too; filled of each        live = filled - dead
 * }</pre>
 *
 * <p>An object that is copied is filled in its new region before it is dead in the old one. All
 * that is dead is read before anything that is filled, and regions that are closed in between
 * count: so no object that is there all the time is missed, wherever it goes. One that dies
 * meanwhile, or the old copy of one that moves, may be counted as alive.
 *
 * @param liveObjects at least those that are alive all the time
 * @param liveBytes what these take
 * @param filledBytes what objects take that live, or are dead and not compacted away yet
 * @param regionBytes how long these are
 */
record RegionTotals(long liveObjects, long liveBytes, long filledBytes, long regionBytes) {
    /** The totals of about now. */
    static RegionTotals of(Regions regions) {
        Set<Region> known = new HashSet<>(regions.list());
        long deadObjects = sum(known, Region::deadObjects);
        long deadBytes = sum(known, Region::deadBytes);
        List<Region> now = regions.list();
        long filledBytes = sum(now, Region::filledBytes);
        long regionBytes = sum(now, Region::bytes);
        known.addAll(now);
        long everObjects = sum(known, Region::filledObjects);
        long everBytes = sum(known, Region::filledBytes);
        return new RegionTotals(
                everObjects - deadObjects,
                // What is alive all the time is in regions of now.
                Math.min(everBytes - deadBytes, filledBytes),
                filledBytes,
                regionBytes);
    }

    private static long sum(Collection<Region> some, ToLongFunction<Region> figure) {
        return some.stream().mapToLong(figure).sum();
    }
}
