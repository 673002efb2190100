package io.polder.heap.space;

import io.polder.event.EventHold;
import io.polder.memory.MemoryExhaustedException;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.Predicate;

/**
 * Makes room for new objects.
 *
 * <pre>{@code
 *   small objects:   a current region for each stripe of threads, fewer stripes in a small heap
 *   medium ones:     a current region for each type
 *   large ones:      a region each
 * }</pre>
 *
 * <p>When a current region has no room for an object it is retired, and a new one takes its place.
 *
 * <p>Current regions of stripes take at most a quarter of what regions have, since little of them
 * may be filled: so a small heap is small also where many processors are at work.
 *
 * <p>If there is no memory for a region, the one takes its place that was evacuated to last, or a
 * smaller one; or else an object goes into the room that is left in any other.
 *
 * <p>Failure. A region that was opened by a thread that failed stays, empty, until the heap is
 * closed. Room and header come together ({@link Region#allocate}).
 *
 * <p>Thread-safe. Room is made by one compare-and-set in the region; a region is replaced under the
 * monitor of its place, with a page taken meanwhile. Who is in that monitor may be outside of the
 * access gate: so {@link #end} waits for all before the heap gives its regions back.
 */
final class Allocator {
    private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(Region[].class);

    private static final int STRIPES_MAX = 16;

    /** However small the heap is. */
    private static final int STRIPES_MIN = 2;

    /**
     * Such a part of all regions are current ones of stripes at most, where more are in use; twice
     * as much in a heap that has become smaller, so that one of about that size does not retire
     * regions again and again.
     */
    private static final int CURRENT_PART = 4;

    private final Regions regions;
    private final ToSpace toSpace;
    private final int stripes;

    /** Of the stripes, then of the types. Written rarely: so they need no cache lines apart. */
    private final @Nullable Region[] places;

    private final Object[] monitors;

    /** How many stripes the heap is large enough for, a power of two; a little late. */
    private volatile int stripesInUse;

    /**
     * No region yet.
     *
     * @param stripes of threads, a power of two
     * @param toSpace has a reserve that grows with the regions, and room to use before a refusal
     */
    Allocator(Regions regions, int stripes, ToSpace toSpace) {
        this.regions = regions;
        this.toSpace = toSpace;
        this.stripes = stripes;
        this.stripesInUse = Math.min(stripes, STRIPES_MIN);
        this.places = new @Nullable Region[stripes + RegionType.LARGE.place];
        this.monitors = new Object[places.length];
        Arrays.setAll(monitors, _ -> new Object());
    }

    /** How many stripes a machine wants. */
    static int stripesFor(int processors) {
        return Math.min(STRIPES_MAX, Integer.highestOneBit(2 * processors - 1));
    }

    /** The stripe of the running thread. */
    int stripe() {
        long id = Thread.currentThread().threadId();
        return (int) (id ^ id >>> 7) & (stripesInUse - 1);
    }

    private int stripesForRegions() {
        long some = regions.sum(Region::bytes) / (CURRENT_PART * RegionType.SMALL.bytes);
        int enough = Math.clamp(some, STRIPES_MIN, STRIPES_MAX);
        return Math.min(stripes, Integer.highestOneBit(enough));
    }

    /**
     * Makes room for an object of a shared type in the current region.
     *
     * @param header of the object
     * @param anywhere whether also in any other: there is no memory for another one
     * @return its address; 0 if there is no room
     */
    long allocate(RegionType type, long footprintBytes, long header, int stripe, boolean anywhere) {
        Region region = (Region) PLACE.getAcquire(places, place(type, stripe));
        long address = region == null ? 0 : region.allocate(footprintBytes, header);
        return address == 0 && anywhere ? allocateAnywhere(footprintBytes, header) : address;
    }

    /**
     * Sees to it that the current region has room for an object, which others may take. May be
     * called outside of the access gate, of a heap that is not closed.
     *
     * @return null; or why there is no region with room
     */
    @Nullable MemoryExhaustedException open(RegionType type, long footprintBytes, int stripe) {
        try (EventHold _ = EventHold.begin()) {
            int place = place(type, stripe);
            synchronized (monitors[place]) {
                Region region = (Region) PLACE.getAcquire(places, place);
                if (region == null || !region.hasRoom(footprintBytes)) {
                    Region next = nextLocked(type, footprintBytes);
                    if (region != null) {
                        region.retire();
                    }
                    PLACE.setRelease(places, place, next);
                }
            }
            return null;
        } catch (MemoryExhaustedException full) {
            return full;
        }
    }

    private int place(RegionType type, int stripe) {
        return type == RegionType.SMALL ? stripe : stripes + type.place;
    }

    /**
     * A new region, or else another one, under the monitor of who keeps the reserve: so what is
     * kept for one that is being opened is not given back, and the first ones, which have none, are
     * not opened at the same time.
     */
    private Region nextLocked(RegionType type, long footprintBytes) {
        if (stripesInUse < stripes) {
            stripesInUse = Math.max(stripesInUse, stripesForRegions());
        }
        synchronized (toSpace) {
            return openLocked(type, footprintBytes);
        }
    }

    /** A new region, a smaller one if need be; before that the one that was evacuated to last. */
    private Region openLocked(RegionType type, long footprintBytes) {
        long least = PageSpace.roundUp(footprintBytes);
        long bytes = 0;
        while (true) {
            try {
                bytes = bytes == 0 ? toSpace.regionBytes(type, footprintBytes) : bytes;
                return regions.open(type, bytes);
            } catch (MemoryExhaustedException full) {
                Region rest = toSpace.takeRest(footprintBytes);
                if (rest != null) {
                    return rest;
                }
                if (bytes <= least) {
                    throw full;
                }
                bytes = Math.max(least, PageSpace.roundUp(bytes / 2));
            }
        }
    }

    /** Room in any region that is current, or in the one that was evacuated to. */
    private long allocateAnywhere(long footprintBytes, long header) {
        for (int place = 0; place < places.length; place++) {
            Region region = (Region) PLACE.getAcquire(places, place);
            long address = region == null ? 0 : region.allocate(footprintBytes, header);
            if (address != 0) {
                return address;
            }
        }
        return toSpace.allocateNew(footprintBytes, header);
    }

    /**
     * Takes a page for a large object. May be called as {@link #open} may: it takes the same
     * monitor as for a small one, so that {@link #end} waits.
     *
     * @throws MemoryExhaustedException if there is no memory for a region
     */
    Region takeLarge(long sizeBytes) {
        try (EventHold _ = EventHold.begin()) {
            int stripe = stripe();
            synchronized (monitors[stripe]) {
                return regions.takeLarge(sizeBytes);
            }
        }
    }

    /**
     * Writes what a large object begins with.
     *
     * @param content null for zeros
     */
    void fillLarge(Region large, long sizeBytes, @Nullable MemorySegment content) {
        regions.fillUnused(large, sizeBytes, content);
    }

    /** Gives it back if no object was made there. */
    void closeUnused(Region large) {
        if (!large.isRetired()) {
            int stripe = stripe();
            synchronized (monitors[stripe]) {
                regions.closeUnused(large);
            }
        }
    }

    /**
     * Makes room for an object in a page of its own, with a word in front of it.
     *
     * @param page the address of one that was taken for it
     * @return its address
     */
    long allocateLarge(long page, long sizeBytes) {
        return regions.map.at(page).fillWithOne(sizeBytes);
    }

    /** How much room current regions that are as said have together. */
    long room(Predicate<Region> condition) {
        long bytes = 0;
        for (int place = 0; place < places.length; place++) {
            Region region = (Region) PLACE.getAcquire(places, place);
            if (region != null && condition.test(region)) {
                bytes += region.bytes() - region.liveBytes();
            }
        }
        return bytes;
    }

    /**
     * Retires current regions that are as said, so that they can be evacuated; and those of stripes
     * for which the heap is too small now.
     */
    void retireCurrent(Predicate<Region> condition) {
        int used = stripesForRegions();
        if (2 * used >= stripesInUse) {
            used = stripesInUse;
        }
        stripesInUse = used;
        for (int place = 0; place < places.length; place++) {
            boolean isUnused = place >= used && place < stripes;
            Region region = (Region) PLACE.getAcquire(places, place);
            if (region != null && (isUnused || condition.test(region))) {
                region.retire();
                boolean _ = PLACE.compareAndSet(places, place, region, null);
            }
        }
    }

    /** Lets nobody open a region any more, and waits for those who do. */
    void end() {
        for (Object monitor : monitors) {
            synchronized (monitor) {
                regions.end();
            }
        }
    }
}
