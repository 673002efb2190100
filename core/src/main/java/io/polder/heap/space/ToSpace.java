package io.polder.heap.space;

import io.polder.event.EventHold;
import io.polder.memory.MemoryExhaustedException;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;

/**
 * Where objects are evacuated to.
 *
 * <pre>{@code
 *   current regions:   one for each type of object | one for objects of any type
 *                      a cycle with room enough    | a tight cycle
 *
 *   a page --> current --> retired when an object does not fit
 * }</pre>
 *
 * <p>In a tight cycle all objects are copied to one region, which is made large enough for all that
 * is to be copied: so it does not matter which of them come first.
 *
 * <p>If there is no page of the size that is wanted, an object goes into the room that is left in
 * any current region, or the reserve becomes one, or a smaller page does: what is copied to belongs
 * to no type. A new object may use what is left as well, before it is refused.
 *
 * <p>Where the pool has a limit, a region as large as the largest that objects share is kept in
 * reserve, unless the heap is tiny: a heap can be compacted still when the pool is full.
 *
 * <p>Current regions stay for the next cycle.
 *
 * <p>Failure. A region that was opened by somebody who was cut off stays, empty, until the heap is
 * closed.
 *
 * <p>Thread-safe: one monitor for all but the allocation in a current region.
 */
final class ToSpace {
    /** From so many regions on there is a reserve. */
    static final int RESERVE_FROM_REGIONS = 2;

    /** A reserve that was refused is asked for again when a heap is larger by such a part. */
    private static final int RESERVE_AGAIN_PART = 8;

    /** The place of the region that a tight cycle copies to. */
    private static final int ANY_TYPE = RegionType.sharedCount();

    private final Regions regions;
    private final HeapPages pages;
    private final int failEvery;
    private final boolean reserves;
    private final AtomicLong attempts = new AtomicLong();
    private final AtomicReferenceArray<@Nullable Region> current =
            new AtomicReferenceArray<>(ANY_TYPE + 1);
    private @Nullable Region reserve;

    /** In a tight cycle how large the region is that is copied to; 0 in others. */
    private volatile long tightBytes;

    /** Pages from this size on cannot be had; not asked for again in this cycle. */
    private long refusedFromBytes = Long.MAX_VALUE;

    /** How large the reserve should be. */
    private long reserveWantedBytes;

    /** How much the heap had when a larger reserve was refused. */
    private long refusedReserveAtBytes;

    /**
     * No memory yet.
     *
     * @param settings whether to keep a reserve, and which allocations fail
     */
    ToSpace(Regions regions, HeapPages pages, HeapSettings settings) {
        this.regions = regions;
        this.pages = pages;
        this.failEvery = settings.failEvery();
        this.reserves = settings.reserves();
    }

    /**
     * Makes room for a copy and writes its header.
     *
     * @param header of the object
     * @return its address; 0 if there is none
     */
    long allocate(RegionType type, long footprintBytes, long header) {
        if (failEvery != 0 && attempts.incrementAndGet() % failEvery == 0) {
            return 0;
        }
        long tight = tightBytes;
        int place = tight > 0 ? ANY_TYPE : type.place();
        long address = allocateIn(place, footprintBytes, header);
        if (address != 0) {
            return address;
        }
        try (EventHold _ = EventHold.begin()) {
            long wanted = tight > 0 ? tight : type.bytes(sharedMaxBytes(), footprintBytes);
            return allocateInNext(place, wanted, footprintBytes, header);
        }
    }

    private synchronized long sharedMaxBytes() {
        long most = pages.sharedMaxBytes();
        return reserves ? Math.min(most, Math.max(reserveBytes(), PageSpace.GRANULE_BYTES)) : most;
    }

    /**
     * How large a region of new objects may be, so that it can be evacuated when the pool is full:
     * the reserve, which is made larger for it if there is memory.
     */
    synchronized long sharedMaxBytes(RegionType type) {
        if (reserves) {
            seeToReserve(Math.min(type.bytes(), pages.sharedMaxBytes()));
        }
        return sharedMaxBytes();
    }

    private long allocateIn(int place, long footprintBytes, long header) {
        Region region = current.get(place);
        return region == null ? 0 : region.allocate(footprintBytes, header);
    }

    private synchronized long allocateInNext(
            int place, long wantedBytes, long footprintBytes, long header) {
        boolean tight = place == ANY_TYPE;
        long address =
                tight
                        ? allocateAnywhere(footprintBytes, header)
                        : allocateIn(place, footprintBytes, header);
        Region next = address != 0 ? null : open(wantedBytes);
        if (address == 0 && next == null) {
            address = tight ? 0 : allocateAnywhere(footprintBytes, header);
            next = address != 0 ? null : reserveOrSmaller(wantedBytes, footprintBytes);
        }
        if (next == null) {
            return address;
        }
        Region before = current.get(place);
        if (before != null) {
            before.retire();
        }
        address = next.allocate(footprintBytes, header);
        current.set(place, next);
        return address;
    }

    private @Nullable Region reserveOrSmaller(long wantedBytes, long footprintBytes) {
        Region kept = reserve;
        if (kept != null && footprintBytes <= kept.bytes()) {
            setReserve(null);
            return kept;
        }
        long least = PageSpace.roundUp(footprintBytes);
        for (long bytes = wantedBytes; bytes > least; ) {
            bytes = Math.max(least, PageSpace.roundUp(bytes / 2));
            Region smaller = open(bytes);
            if (smaller != null) {
                return smaller;
            }
        }
        return null;
    }

    /**
     * Room for a new object that is left in a current region, unless that may be all there is to
     * evacuate to.
     *
     * @return its address; 0 if there is none
     */
    long allocateNew(long footprintBytes, long header) {
        boolean spare = pages.hasHeadroom() && hasWholeReserve();
        return spare ? allocateAnywhere(footprintBytes, header) : 0;
    }

    private synchronized boolean hasWholeReserve() {
        return reserveBytes() >= reserveWantedBytes;
    }

    /** Room that is left in a current region, whatever its type; 0 if there is none. */
    private long allocateAnywhere(long footprintBytes, long header) {
        long address = 0;
        for (int i = 0; i < current.length() && address == 0; i++) {
            address = allocateIn(i, footprintBytes, header);
        }
        return address;
    }

    private @Nullable Region open(long bytes) {
        if (bytes >= refusedFromBytes) {
            return null;
        }
        try {
            return regions.openToEvacuate(RegionType.SMALL, bytes);
        } catch (MemoryExhaustedException | IllegalStateException noneOrClosedPool) {
            refusedFromBytes = bytes;
            return null;
        }
    }

    /**
     * A cycle begins.
     *
     * @param regionBytes how large a region must be to copy all to; 0 if there is room enough for
     *     several
     */
    synchronized void begin(long regionBytes) {
        refusedFromBytes = Long.MAX_VALUE;
        tightBytes = regionBytes;
    }

    /** A cycle has ended. */
    synchronized void end() {
        tightBytes = 0;
        seeToReserve();
    }

    /**
     * Has a region in reserve if the heap is large enough for it, and there is memory: as large as
     * the largest that objects share.
     */
    synchronized void seeToReserve() {
        if (reserves) {
            refusedReserveAtBytes = 0;
            seeToReserve(0);
        }
    }

    /**
     * Sees to the reserve.
     *
     * @param leastBytes of the region that is about to be opened; 0 if none is
     */
    private void seeToReserve(long leastBytes) {
        Region kept = reserve;
        long bytes = kept == null ? 0 : kept.bytes();
        long wanted = wantedReserveBytes(leastBytes);
        reserveWantedBytes = wanted;
        if (bytes > wanted) {
            setReserve(null);
            close(kept);
            bytes = 0;
        }
        long taken = pages.takenBytes();
        if (taken < refusedReserveAtBytes + refusedReserveAtBytes / RESERVE_AGAIN_PART) {
            return;
        }
        refusedFromBytes = Long.MAX_VALUE;
        while (wanted > bytes) {
            long room = pages.roomToEvacuate();
            if (bytes > 0 && wanted > room && wanted <= room + bytes) {
                setReserve(null); // it is in the way of the larger one
                close(kept);
                bytes = 0;
            }
            Region larger = open(wanted);
            if (larger != null) {
                setReserve(larger);
                close(bytes == 0 ? null : kept);
                return;
            }
            refusedReserveAtBytes = taken;
            wanted = wanted > PageSpace.GRANULE_BYTES ? PageSpace.roundUp(wanted / 2) : 0;
        }
    }

    private long wantedReserveBytes(long leastBytes) {
        long wanted = leastBytes;
        int count = leastBytes > 0 ? 1 : 0;
        for (Region region : regions.list()) {
            boolean large = region.type() == RegionType.LARGE;
            wanted = large || region == reserve ? wanted : Math.max(wanted, region.bytes());
            count++;
        }
        return count < RESERVE_FROM_REGIONS ? 0 : wanted;
    }

    private void setReserve(@Nullable Region region) {
        reserve = region;
        pages.setReserve(region == null ? 0 : region.bytes());
    }

    private void close(@Nullable Region region) {
        if (region != null) {
            region.retire();
            long _ = regions.close(region);
        }
    }

    /** How much can be copied although there is no page to be had. */
    synchronized long reserveBytes() {
        return reserve == null ? 0 : reserve.bytes();
    }

    /** How much room there is in the current region that has most. */
    synchronized long restBytes() {
        long rest = 0;
        for (int i = 0; i < current.length(); i++) {
            Region region = current.get(i);
            rest = Math.max(rest, region == null ? 0 : region.bytes() - region.filledBytes());
        }
        return rest;
    }

    /** Retires current regions that are as said, so that they can be evacuated. */
    synchronized void retireCurrent(Predicate<Region> condition) {
        for (int i = 0; i < current.length(); i++) {
            Region region = current.get(i);
            if (region != null && condition.test(region)) {
                region.retire();
                current.set(i, null);
            }
        }
    }
}
