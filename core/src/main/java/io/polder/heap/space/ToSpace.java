package io.polder.heap.space;

import io.polder.event.EventHold;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.util.function.Predicate;

/**
 * Where objects are evacuated to.
 *
 * <pre>{@code
 *   before a cycle      in a cycle             after it
 *
 *   current             current                the one with more room is current,
 *                       page of the round      the other one is retired
 *   reserve             less by what the       whole again
 *                       page had no room for
 * }</pre>
 *
 * <p>A cycle begins only if there is room for all that it copies, in the rest of the current region
 * and in one page, which is taken before. So it does not matter which objects come first, nor of
 * which sizes they are. What several threads copied at the same time, or what does not fit into the
 * end of either, gets another page if there is one; else {@link
 * io.polder.heap.EvacuationFailurePolicy} decides.
 *
 * <p>In a full heap the room that a cycle leaves in the current region is for new objects: for many
 * small ones the region is handed over, so that nobody waits until a page is free.
 *
 * <p>Where the heap or the pool has a limit, as much as the largest region has that objects share
 * is kept in {@link Reserve}, unless the heap is tiny: so a heap can be compacted still when it or
 * the pool is full. New objects leave room for what is missing of it.
 *
 * <p>Failure. A region that was opened by a thread that failed stays, empty, until the heap is
 * closed.
 *
 * <p>Thread-safe: one monitor for all but the allocation in an open region.
 */
final class ToSpace {
    /** From so many regions on there is a reserve. */
    static final int RESERVE_FROM_REGIONS = 2;

    /** For fewer new objects the rest of a region is not worth the wait of a thread. */
    static final int REST_OBJECTS = 64;

    private final Regions regions;
    private final HeapPages pages;
    private final int failEvery;
    private final boolean reserves;
    private int attempts;

    /** What was copied to last, and has room. */
    private volatile @Nullable Region current;

    /** The page of the round that is on. */
    private volatile @Nullable Region next;

    private final Reserve reserve;

    /** The room at the ends of regions that were retired in the cycle that is on. */
    private long lostBytes;

    /** Whether a cycle is on, or the table moves: new objects get nothing that it may need. */
    volatile boolean copying;

    /**
     * No memory yet.
     *
     * @param settings whether to keep a reserve, and which allocations fail
     */
    ToSpace(Regions regions, HeapPages pages, HeapSettings settings) {
        this.regions = regions;
        this.pages = pages;
        this.reserve = new Reserve(regions, pages);
        this.failEvery = settings.failEvery();
        this.reserves = settings.reserves() || settings.options().maxBytes() < Long.MAX_VALUE;
    }

    /**
     * Makes room for a copy and writes its header.
     *
     * @param header of the object
     * @return its address; 0 if there is none
     */
    long allocate(long footprintBytes, long header) {
        if (failEvery != 0 && fails()) {
            return 0;
        }
        long address = allocateInOpen(footprintBytes, header);
        if (address != 0) {
            return address;
        }
        try (EventHold _ = EventHold.begin()) {
            return allocateInAnother(footprintBytes, header);
        }
    }

    private synchronized boolean fails() {
        attempts = (attempts + 1) % failEvery;
        return attempts == 0;
    }

    private long allocateInOpen(long footprintBytes, long header) {
        Region region = current;
        long address = region == null ? 0 : region.allocate(footprintBytes, header);
        region = address == 0 ? next : null;
        return region == null ? address : region.allocate(footprintBytes, header);
    }

    private synchronized long allocateInAnother(long footprintBytes, long header) {
        long address = allocateInOpen(footprintBytes, header);
        if (address != 0) {
            return address;
        }
        Region another = open(PageSpace.roundUp(footprintBytes));
        if (another != null) {
            endRound();
            next = another;
            address = another.allocate(footprintBytes, header);
        }
        return address;
    }

    /**
     * Room for a new object that is left in the current region.
     *
     * @return its address; 0 if there is none, or a cycle may need it
     */
    synchronized long allocateNew(long footprintBytes, long header) {
        return copying || pages.missingBytes() > 0 ? 0 : allocateInOpen(footprintBytes, header);
    }

    /** Whether {@link #takeRest} has that much room for new objects. */
    synchronized boolean hasRest(long bytes) {
        Region region = current;
        return region != null && bytes <= rest(region) && !copying && pages.missingBytes() == 0;
    }

    /**
     * The current region, for many new objects of this size: it is that of the caller from now on.
     *
     * @return null if there is none, it has too little room, or a cycle may need it
     */
    synchronized @Nullable Region takeRest(long footprintBytes) {
        Region region = current;
        if (!hasRest(REST_OBJECTS * footprintBytes)) {
            return null;
        }
        current = null;
        return region;
    }

    /**
     * A page to copy to; what there is no memory for comes from the reserve, and what it has not
     * taken of that is kept again.
     */
    private @Nullable Region open(long bytes) {
        long kept = reserve.bytes();
        boolean takes = kept > 0;
        Region opened = takes && bytes > pages.roomToEvacuate() ? null : reserve.open(bytes);
        if (opened == null && takes) {
            opened = reserve.take(bytes);
            reserve.keep(kept);
        }
        return opened;
    }

    /**
     * A cycle begins.
     *
     * @param pageBytes how large a page must be to copy to beside the current region; 0 for none
     * @return whether there is one
     */
    synchronized boolean begin(long pageBytes) {
        endRound(); // of one that failed
        next = pageBytes == 0 ? null : open(pageBytes);
        copying = pageBytes == 0 || next != null;
        return copying;
    }

    /**
     * A cycle has ended, or what the reserve was given for.
     *
     * @return how much room was left in regions that were retired in it, in bytes
     */
    synchronized long end() {
        endRound();
        Region region = current;
        if (region != null && region.filledBytes() == 0) { // what was to be copied died before
            region.retire();
            current = null;
            long _ = close(region);
        }
        copying = false;
        seeToReserve();
        long lost = lostBytes;
        lostBytes = 0;
        return lost;
    }

    /** Of the two that are open the one with more room stays. */
    private void endRound() {
        Region page = next;
        Region before = current;
        if (page != null) {
            boolean stays = before != null && rest(before) >= rest(page);
            current = stays ? before : page;
            next = null;
            Region other = stays ? page : before;
            if (other != null) {
                lostBytes += rest(other);
                other.retire();
            }
        }
    }

    private static long rest(Region region) {
        return region.bytes() - region.filledBytes();
    }

    /**
     * How large a region of new objects is, so that it can be evacuated when there is no other
     * memory: into the reserve, which is made larger for it if there is memory for both. What is
     * missing of that comes first: were it only left in the pool, others could have it. Where there
     * is no reserve at all, memory for both is also what others of the pool have free. Nothing is
     * taken for the reserve where the region is not to be had, since memory came free for others.
     */
    synchronized long regionBytes(RegionType type, long footprintBytes) {
        long bytes = type.bytes(pages.sharedMaxBytes(), footprintBytes);
        pages.leaveToOthers(bytes);
        if (reserves && pages.reservedBytes == 0 && regions.count() + 1 >= RESERVE_FROM_REGIONS) {
            pages.makeRoom(2 * bytes);
        }
        if (!copying && pages.missingBytes() > 0) {
            reserve.keep(pages.reserveBytes);
        }
        long kept = pages.reserveBytes;
        if (!reserves || bytes <= kept) {
            return bytes;
        }
        if (regions.count() + 1 >= RESERVE_FROM_REGIONS && pages.hasRoom(bytes - kept + bytes)) {
            reserve.keep(bytes);
            if (reserve.bytes() == bytes) {
                pages.reserveBytes = bytes;
                return bytes;
            }
            reserve.keep(kept);
        }
        return type.bytes(Math.max(PageSpace.GRANULE_BYTES, kept), footprintBytes);
    }

    /** How much is needed for another region of new objects, and a larger reserve for it. */
    long wantedBytes(long sizeBytes) {
        long footprint = ObjectLayout.footprint(sizeBytes);
        RegionType type = RegionType.of(footprint);
        if (type == RegionType.LARGE) {
            return RegionType.largeBytes(sizeBytes);
        }
        long bytes = type.bytes(pages.sharedMaxBytes(), footprint);
        return reserves ? bytes + Math.max(0, bytes - pages.reserveBytes) : bytes;
    }

    /**
     * Closes a region in which nobody can find an object any more. Its page is that of the reserve
     * at once, if one is missing there: what goes back to the pool, others may have first. So it is
     * if the reserve has none as large: where free pages lie apart, another may not be had.
     *
     * @return how many bytes it had; 0 if it stays
     */
    synchronized long close(Region region) {
        long bytes = region.bytes();
        boolean isBetter = bytes <= pages.reserveBytes && bytes > reserve.largest();
        return isBetter || bytes <= pages.missingBytes()
                ? reserve.add(region)
                : regions.close(region);
    }

    /**
     * Has a reserve if the heap is large enough for it: as much as the largest region has that
     * objects share, and no more than it was; or what there is memory for. It is a page at least,
     * also if there was none when the second region was opened.
     */
    synchronized void seeToReserve() {
        long largest = 0;
        int count = 0;
        for (Region region : regions.list()) {
            if (!reserve.has(region)) {
                count++;
                largest = Math.max(largest, region.type == RegionType.LARGE ? 0 : region.bytes());
            }
        }
        long most = reserves ? Math.max(PageSpace.GRANULE_BYTES, pages.reserveBytes) : 0;
        long wanted = count < RESERVE_FROM_REGIONS ? 0 : Math.min(largest, most);
        pages.reserveBytes = wanted;
        reserve.keep(wanted);
    }

    /** Gives the reserve back: for the table, not for new objects, until the {@link #end}. */
    synchronized void giveReserve() {
        copying = true;
        reserve.keep(0);
    }

    /** What there is to copy to. */
    synchronized CompactionPolicy.Room room() {
        Region region = current;
        return new CompactionPolicy.Room(
                region == null ? 0 : rest(region),
                reserve.bytes() + pages.roomToEvacuate(),
                reserves
                        ? Math.max(PageSpace.GRANULE_BYTES, pages.reserveBytes)
                        : pages.sharedMaxBytes());
    }

    /** The largest page that there is, if it is not made of others. */
    synchronized long contiguousBytes() {
        long free = pages.contiguousBytes(pages.roomToEvacuate()) & -PageSpace.GRANULE_BYTES;
        return Math.max(reserve.largest(), free);
    }

    /** Retires the current region if it is as said, so that it can be evacuated. */
    synchronized void retireCurrent(Predicate<Region> condition) {
        Region region = current;
        if (region != null && condition.test(region)) {
            region.retire();
            current = null;
        }
    }
}
