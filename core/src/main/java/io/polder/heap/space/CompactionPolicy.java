package io.polder.heap.space;

import io.polder.page.space.PageSpace;

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
 *   a region           only if its gain       >= a part of it
 * }</pre>
 *
 * <p>A round copies up to a fixed number of bytes, and at least one region whatever its size. Where
 * room is short the round is <i>tight</i>: all that it copies fits into one region, that is, into
 * the rest of the one that was copied to last, or into a page that is no larger than one of the
 * regions.
 *
 * <p>Thread-safe: no state.
 */
final class CompactionPolicy {
    /** From this fragmentation on: guessed; less is not noticed beside headers and handles. */
    private static final int BEGIN_PART = 16;

    private static final int END_PART = 32;

    /** To give one byte back, this less one are copied at most: in the background. */
    private static final int REGION_PART = 16;

    /** The same when somebody asks for it. */
    private static final int REGION_PART_ASKED = 32;

    /** The same when the heap is full. */
    private static final int REGION_PART_FULL = 64;

    /** So much is copied in one cycle: guessed, some ten milliseconds. */
    private static final long ROUND_BYTES = 16L << 20;

    /** With less room than this a round is tight: there may be a region of each type. */
    private static final long AMPLE_BYTES = 4 * ROUND_BYTES;

    /**
     * What is evacuated in one cycle.
     *
     * @param collectionSet the regions
     * @param tightBytes how large a region must be for all that is copied; 0 if room is not short
     */
    record Round(List<Region> collectionSet, long tightBytes) {
        static final Round NONE = new Round(List.of(), 0);
    }

    /**
     * What there is to copy to.
     *
     * @param restBytes in the current region that has most
     * @param pageBytes within the limits
     * @param reserveBytes in reserve
     */
    record Room(long restBytes, long pageBytes, long reserveBytes) {
        boolean isAmple() {
            return pageBytes >= AMPLE_BYTES;
        }

        /** How much fits into one region, whatever it is. */
        long mostBytes() {
            long page = Math.max(reserveBytes, pageBytes & -PageSpace.GRANULE_BYTES);
            return Math.max(restBytes, page);
        }
    }

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

    /** The round of a cycle in the background; empty if none is worth it. */
    static Round choose(List<Region> all, Room room) {
        long most = gainMax(all);
        return most == 0 ? Round.NONE : sparsest(all, REGION_PART, most, room);
    }

    /** How much a cycle in the background should give back at most; 0 if none is worth it. */
    static long gainMax(List<Region> all) {
        long filled = 0;
        long gain = 0;
        for (Region region : all) {
            filled += region.filledBytes();
            gain += region.isMovable() ? gain(region) : 0;
        }
        return gain <= filled / BEGIN_PART ? 0 : gain - filled / END_PART;
    }

    /** That of a cycle that somebody asked for, one of several. */
    static Round chooseAll(List<Region> all, Room room) {
        return sparsest(all, REGION_PART_ASKED, Long.MAX_VALUE, room);
    }

    /** That of a cycle in a full heap, one of several, until so much is given back. */
    static Round chooseFull(List<Region> all, long wantedBytes, Room room) {
        return sparsest(all, REGION_PART_FULL, wantedBytes, room);
    }

    /** Regions by rising part that lives, as many as fit. */
    private static Round sparsest(List<Region> all, int part, long gainMax, Room room) {
        boolean tight = !room.isAmple();
        long most = tight ? room.mostBytes() : Long.MAX_VALUE;
        long copiedMax = tight ? room.restBytes() : ROUND_BYTES;
        List<Region> collectionSet = new ArrayList<>();
        long gain = 0;
        long copied = 0;
        for (Sparse sparse : candidates(all, part)) {
            if (gain >= gainMax) {
                break;
            }
            if (copied == 0 && sparse.liveBytes <= most) {
                copiedMax = Math.max(copiedMax, Math.min(most, sparse.region.bytes()));
            }
            if (copied + sparse.liveBytes <= copiedMax) {
                copied += sparse.liveBytes;
                gain += sparse.gain;
                collectionSet.add(sparse.region);
            }
        }
        long page = Math.max(PageSpace.GRANULE_BYTES, PageSpace.roundUp(copied));
        return new Round(collectionSet, tight ? page : 0);
    }

    private static List<Sparse> candidates(List<Region> all, int part) {
        List<Sparse> candidates = new ArrayList<>();
        for (Region region : all) {
            Sparse sparse = new Sparse(region, region.liveBytes(), gain(region));
            boolean worthIt = sparse.gain >= region.bytes() / part;
            if (worthIt && region.isMovable() && region.type() != RegionType.LARGE) {
                candidates.add(sparse);
            }
        }
        candidates.sort(Comparator.comparingDouble(Sparse::livePart));
        return candidates;
    }

    /** A region as it was when it was looked at. */
    private record Sparse(Region region, long liveBytes, long gain) {
        double livePart() {
            return (double) liveBytes / region.bytes();
        }
    }
}
