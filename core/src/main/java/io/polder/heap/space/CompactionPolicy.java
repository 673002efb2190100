package io.polder.heap.space;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Chooses the collection set, the regions to evacuate: those that give most back for what must be
 * copied, and only as long as it is worth it.
 *
 * <pre>{@code
 *   gain of a region   = what is dead in it, and its room at the end if it is half empty
 *   cost               = what is alive in it
 *   begin              when the gain of all   >  BEGIN_PART of what objects fill
 *   until              what gain would remain <  END_PART of it, or the round is full
 *   a region           only if its gain       >= REGION_PART of it
 * }</pre>
 *
 * <p>Thread-safe: no state.
 */
final class CompactionPolicy {
    /** From this fragmentation on: guessed; less is not noticed beside headers and handles. */
    private static final int BEGIN_PART = 16;

    private static final int END_PART = 32;

    /** To give one byte back, this less one are copied at most. */
    private static final int REGION_PART = 16;

    /** So much is copied in one cycle at least, if there is as much. */
    private static final long ROUND_BYTES_MIN = 16L << 20;

    /** Of what objects fill, so much is copied in one cycle: the room needed while it lasts. */
    private static final int ROUND_PART = 16;

    private CompactionPolicy() {}

    /** From how much dead on a region is worth a look. */
    static boolean isWorthALook(long deadBytes, long regionBytes) {
        return deadBytes >= regionBytes / REGION_PART;
    }

    /** What evacuating a region would give back. */
    static long gain(Region region) {
        long live = region.liveBytes();
        long filled = region.filledBytes();
        return live <= region.bytes() / 2 ? region.bytes() - live : filled - live;
    }

    private static boolean isWorthIt(Region region, int part) {
        return gain(region) >= region.bytes() / part;
    }

    /** The collection set of a cycle in the background; empty if none is worth it. */
    static List<Region> choose(List<Region> all) {
        long filled = 0;
        long gain = 0;
        for (Region region : all) {
            filled += region.filledBytes();
            gain += region.isMovable() ? gain(region) : 0;
        }
        if (gain <= filled / BEGIN_PART) {
            return List.of();
        }
        return sparsest(all, REGION_PART, gain - filled / END_PART, round(filled));
    }

    /** That of a cycle that somebody asked for, one of several. */
    static List<Region> chooseAll(List<Region> all) {
        long filled = 0;
        for (Region region : all) {
            filled += region.filledBytes();
        }
        return sparsest(all, 2 * REGION_PART, Long.MAX_VALUE, round(filled));
    }

    /** The regions that give most back for the least copied, with so much room to copy to. */
    static List<Region> chooseWithin(List<Region> all, long roomBytes) {
        return sparsest(all, 4 * REGION_PART, Long.MAX_VALUE, roomBytes);
    }

    private static long round(long filled) {
        return Math.max(ROUND_BYTES_MIN, filled / ROUND_PART);
    }

    /** Regions by rising part that lives; copies at most so much, empty regions apart. */
    private static List<Region> sparsest(List<Region> all, int part, long gainMax, long copiedMax) {
        List<Sparse> candidates = new ArrayList<>();
        for (Region region : all) {
            if (region.isMovable()
                    && region.type() != RegionType.LARGE
                    && isWorthIt(region, part)) {
                candidates.add(Sparse.of(region));
            }
        }
        candidates.sort(Comparator.comparingDouble(Sparse::livePart));
        List<Region> collectionSet = new ArrayList<>();
        long gain = 0;
        long copied = 0;
        for (Sparse sparse : candidates) {
            copied += sparse.liveBytes;
            if (gain >= gainMax || copied > copiedMax) {
                break;
            }
            gain += gain(sparse.region);
            collectionSet.add(sparse.region);
        }
        return collectionSet;
    }

    /** A region as it was when it was looked at. */
    private record Sparse(Region region, long liveBytes) {
        static Sparse of(Region region) {
            return new Sparse(region, region.liveBytes());
        }

        double livePart() {
            return (double) liveBytes / region.bytes();
        }
    }
}
