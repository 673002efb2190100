package io.polder.heap.space;

import io.polder.page.space.PageSpace;

import java.util.ArrayList;
import java.util.List;

/**
 * Chooses the collection set, the regions to evacuate: those that give most back for what must be
 * copied, and only as long as it is worth it. Says also when regions of a heap at rest are worth
 * retiring.
 *
 * <pre>{@code
 *   wasted in a region = what is dead in it, and its room at the end
 *   gain of a round    = pages of its regions - the page that they are copied to
 *   lost in a round    = what is left of the region that was copied to last, or of the page
 *
 *   begin       when the gain of all regions  >  BEGIN_PART of what objects fill
 *   until       what gain would remain        <  END_PART of it, or the round is full
 *                 where the heap rests, both parts are a fourth of that
 *   a region    if what is wasted in it       >= a part of it
 *   a round     if what is wasted - what is lost >= a part of its regions
 * }</pre>
 *
 * <p>A round copies up to a fixed number of bytes, and at least one region whatever its size. All
 * that it copies fits into the rest of the region that was copied to last and into one page, which
 * is made for it and no larger than regions should be. So it does not matter which objects come
 * first, a heap never has more after a round than before, and each round wastes less than the one
 * before: at last either what lives is packed, or there is no room for what lives in any one
 * region.
 *
 * <p>How much is lost depends on the objects: those that are large leave room at the end. Where no
 * round of all regions is worth it, those with the larger objects are left out.
 *
 * <p>Thread-safe: no state.
 */
final class CompactionPolicy {
    /** From this fragmentation on: guessed; less is not noticed beside headers and handles. */
    private static final int BEGIN_PART = 16;

    private static final int END_PART = 32;

    /** Both are so many times smaller in a heap that rests: what it copies is not soon dead. */
    private static final int REST_TIMES = 4;

    /** To give one byte back, this less one are copied at most: in the background. */
    static final int REGION_PART = 16;

    /** The same when somebody asks for it. */
    static final int REGION_PART_ASKED = 32;

    /** The same when the heap is full. */
    static final int REGION_PART_FULL = 64;

    /** So much is copied in one cycle: guessed, some ten milliseconds. */
    private static final long ROUND_BYTES = 16L << 20;

    /** What stays in regions for the next objects: what one each takes, for a few threads. */
    private static final long SPARSE_BYTES = 4 * RegionType.SMALL.bytes;

    /** More than such a part of a region that objects are still added to is much: guessed. */
    private static final int DEAD_PART = 8;

    /** The largest region that one waits for whose small object has no room. */
    private static final long REST_REGION_MAX_BYTES = RegionType.SMALL.bytes;

    /** The largest objects that share a region, and those that leave no room at its end. */
    private static final long OBJECT_MOST = 4L << 20;

    private static final long OBJECT_LEAST = 32L << 10;

    /**
     * What is evacuated in one cycle.
     *
     * @param collectionSet the regions
     * @param pageBytes how large a page must be for what the rest has no room for; 0 if it has
     */
    record Round(List<Region> collectionSet, long pageBytes) {
        static final Round NONE = new Round(List.of(), 0);
    }

    /**
     * What there is to copy to.
     *
     * @param restBytes in the region that was copied to last
     * @param pageBytes the largest page that there may be, whole granules
     * @param regionBytes how large a region should be at most
     */
    record Room(long restBytes, long pageBytes, long regionBytes) {
        /** The same with a page of so many bytes at most. */
        Room upTo(long most) {
            return new Room(restBytes, Math.min(most, pageBytes), Math.min(most, regionBytes));
        }

        /** Whether what lives in a region can be copied there. */
        boolean holds(Region region) {
            return pageFor(region.liveBytes(), region.largest) <= pageBytes;
        }

        /** What is surely filled of the rest: at its end there may be no room for the largest. */
        private long filledOfRest(long copiedBytes, long largestBytes) {
            boolean all = copiedBytes <= restBytes;
            return all ? copiedBytes : Math.max(0, restBytes - largestBytes);
        }

        /**
         * The page that is surely enough beside the rest.
         *
         * @param largestBytes what the largest object takes
         * @return 0 if none is needed; {@code Long.MAX_VALUE} if there is none
         */
        long pageFor(long copiedBytes, long largestBytes) {
            long page = PageSpace.roundUp(copiedBytes - filledOfRest(copiedBytes, largestBytes));
            return page <= pageBytes ? page : Long.MAX_VALUE;
        }

        /**
         * The room that is lost at most: of the rest and the page only one is copied to the next
         * time. Were it more, rounds that save next to nothing would be repeated.
         */
        long lostBytes(long copiedBytes, long largestBytes, long page) {
            long ofRest = restBytes - filledOfRest(copiedBytes, largestBytes);
            long ofBoth = restBytes + page - copiedBytes;
            return page == 0 ? 0 : Math.min(ofRest, ofBoth / 2);
        }
    }

    private CompactionPolicy() {}

    /** Of a region that objects are still added to, more is dead than alive. */
    static boolean isMostlyDead(Region region) {
        return !region.isRetired() && region.deadBytes() > region.liveBytes();
    }

    /** Less than half of a region that objects are still added to is filled, or much is dead. */
    static boolean isSparse(Region region) {
        return !region.isRetired()
                && (region.filledBytes() < region.bytes() / 2
                        || region.deadBytes() > region.bytes() / DEAD_PART);
    }

    /** Whether a heap at rest has less when its regions are retired. */
    static boolean isWorthRetiring(List<Region> all) {
        long bytes = 0;
        long live = 0;
        for (Region region : all) {
            if (isMostlyDead(region)) {
                return true;
            }
            if (isSparse(region) && region.filledBytes() > 0) { // not the reserve
                bytes += region.bytes();
                live += region.liveBytes();
            }
        }
        return bytes > live + SPARSE_BYTES;
    }

    /** What evacuating a region would give back. */
    static long gain(Region region) {
        long live = region.liveBytes();
        long filled = region.filledBytes();
        return live <= region.bytes() / 2 ? region.bytes() - live : filled - live;
    }

    /** What a region wastes: in one to which nothing is added any more, room at its end as well. */
    static long wastedBytes(Region region) {
        return region.isMovable() ? gain(region) : region.deadBytes();
    }

    /** How much a cycle in the background should give back at most; 0 if none is worth it. */
    static long gainMax(List<Region> all, boolean rests) {
        long filled = 0;
        long gain = 0;
        for (Region region : all) {
            filled += region.filledBytes();
            gain += region.isMovable() ? gain(region) : 0;
        }
        long part = rests ? filled / REST_TIMES : filled;
        return gain <= part / BEGIN_PART ? 0 : gain - part / END_PART;
    }

    /**
     * The round of one region whose copy leaves most room for new objects, so that a thread which
     * waits for room for small ones waits for no more: the region is no larger than a fixed size,
     * and what it wastes is worth it. Empty if there is none.
     *
     * @param leastBytes how much room is wanted
     */
    static Round chooseRest(List<Region> all, long leastBytes, Room room) {
        Round best = Round.NONE;
        double bestPart = 1;
        for (Sparse sparse : candidates(all, REGION_PART_FULL)) {
            long bytes = sparse.region.bytes();
            long page = room.pageFor(sparse.liveBytes, sparse.region.largest);
            if (sparse.livePart() < bestPart
                    && bytes <= REST_REGION_MAX_BYTES
                    && sparse.wastedBytes() >= leastBytes
                    && page <= bytes) {
                best = new Round(List.of(sparse.region), page);
                bestPart = sparse.livePart();
            }
        }
        return best;
    }

    /**
     * Of all regions, or else of those with objects of up to half the size, and so on: by rising
     * part that lives, or else by how much does not.
     *
     * @param part of a region that must be wasted, and of all regions of the round
     * @param gainMax how much is to be given back at most
     */
    static Round sparsest(List<Region> all, int part, long gainMax, Room room) {
        List<Sparse> candidates = candidates(all, part);
        Round round = Round.NONE;
        for (long most = OBJECT_MOST;
                most >= OBJECT_LEAST && round.collectionSet.isEmpty();
                most /= 2) {
            long objectMost = most;
            candidates.removeIf(sparse -> sparse.region.largest > objectMost);
            candidates.sort((one, other) -> Double.compare(one.livePart(), other.livePart()));
            round = prefix(candidates, part, gainMax, room);
            if (round.collectionSet.isEmpty()) {
                candidates.sort(
                        (one, other) -> Long.compare(other.wastedBytes(), one.wastedBytes()));
                round = prefix(candidates, part, gainMax, room);
            }
        }
        return round;
    }

    /** The best of those rounds that take regions as they come, as many as fit. */
    private static Round prefix(List<Sparse> candidates, int part, long gainMax, Room room) {
        List<Region> chosen = new ArrayList<>();
        long givenBack = 0;
        long copied = 0;
        long largest = 0;
        Round best = Round.NONE;
        long bestGain = 0;
        for (Sparse sparse : candidates) {
            if (bestGain >= gainMax) {
                break;
            }
            long more = copied + sparse.liveBytes;
            long largestOfAll = Math.max(largest, sparse.region.largest);
            long page = room.pageFor(more, largestOfAll);
            boolean fits = chosen.isEmpty() || (more <= ROUND_BYTES && page <= room.regionBytes);
            if (!fits || page == Long.MAX_VALUE) {
                continue;
            }
            chosen.add(sparse.region);
            copied = more;
            largest = largestOfAll;
            givenBack += sparse.region.bytes();
            long lost = room.lostBytes(copied, largest, page);
            boolean worthIt = givenBack - copied - lost >= givenBack / part;
            if (worthIt && givenBack - page >= bestGain) {
                bestGain = givenBack - page;
                best = new Round(List.copyOf(chosen), page);
            }
        }
        return best;
    }

    private static List<Sparse> candidates(List<Region> all, int part) {
        List<Sparse> candidates = new ArrayList<>();
        for (Region region : all) {
            // First: how much lives in it only sinks from then on.
            boolean mayBeCopied =
                    region.open && region.isMovable() && region.type != RegionType.LARGE;
            long live = region.liveBytes();
            if (mayBeCopied && region.bytes() - live >= region.bytes() / part) {
                candidates.add(new Sparse(region, live));
            }
        }
        return candidates;
    }

    /** A region as it was when it was looked at. */
    private record Sparse(Region region, long liveBytes) {
        double livePart() {
            return (double) liveBytes / region.bytes();
        }

        long wastedBytes() {
            return region.bytes() - liveBytes;
        }
    }
}
