package io.polder.heap.space;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.Predicate;

/**
 * Makes room for new objects.
 *
 * <pre>{@code
 *   small objects:   a current region for each stripe of threads
 *   medium ones:     a current region for each kind
 *   large ones:      a region each
 * }</pre>
 *
 * <p>When a current region has no room for an object it is retired, and a new one takes its place.
 *
 * <p>Thread-safe. Room is made by one compare-and-set in the region; a region is replaced under the
 * monitor of its place, with a page taken meanwhile.
 */
final class Allocator {
    private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(Region[].class);

    /** Places of stripes stand so far apart that a cache line has one. */
    private static final int STRIDE = 32;

    private final Regions regions;
    private final int stripes;
    private final @Nullable Region[] places;
    private final Object[] monitors;

    /**
     * No region yet.
     *
     * @param stripes of threads, a power of two
     */
    Allocator(Regions regions, int stripes) {
        this.regions = regions;
        this.stripes = stripes;
        this.places = new @Nullable Region[stripes * STRIDE + Kind.sharedCount()];
        this.monitors = new Object[stripes + Kind.sharedCount()];
        Arrays.setAll(monitors, _ -> new Object());
    }

    /** The stripe of the running thread. */
    int stripe() {
        long id = Thread.currentThread().threadId();
        return (int) (id ^ id >>> 7) & (stripes - 1);
    }

    /**
     * Makes room for an object of a shared kind.
     *
     * @return its address
     * @throws io.polder.memory.MemoryExhaustedException if there is no memory for a region
     */
    long allocate(Kind kind, long footprintBytes, int stripe) {
        boolean small = kind == Kind.SMALL;
        int place = small ? stripe * STRIDE : stripes * STRIDE + kind.place();
        Region region = (Region) PLACE.getAcquire(places, place);
        long address = region == null ? 0 : region.allocate(footprintBytes);
        return address != 0
                ? address
                : allocateInNext(
                        place,
                        monitors[small ? stripe : stripes + kind.place()],
                        kind,
                        footprintBytes);
    }

    private long allocateInNext(int place, Object monitor, Kind kind, long footprintBytes) {
        synchronized (monitor) {
            Region region = (Region) PLACE.getAcquire(places, place);
            long address = region == null ? 0 : region.allocate(footprintBytes);
            while (address == 0) {
                Region next = regions.open(kind, kind.bytes());
                if (region != null) {
                    region.retire();
                }
                PLACE.setRelease(places, place, next);
                region = next;
                address = next.allocate(footprintBytes);
            }
            return address;
        }
    }

    /** A region for one object that takes so many bytes, and a word in front of it. */
    Region openLarge(long footprintBytes) {
        return regions.open(Kind.LARGE, footprintBytes + Long.BYTES);
    }

    /** Retires current regions in which something has died, so that they can be evacuated. */
    void retireCurrent() {
        retireCurrentIf(region -> region.deadBytes() > 0);
    }

    /** Retires current regions in which more is dead than there is alive or room. */
    void retireMostlyDead() {
        retireCurrentIf(region -> region.deadBytes() > region.bytes() / 2);
    }

    private void retireCurrentIf(Predicate<Region> condition) {
        for (int i = 0; i < stripes; i++) {
            retireIf(condition, i * STRIDE, monitors[i]);
        }
        for (int i = 0; i < Kind.sharedCount(); i++) {
            retireIf(condition, stripes * STRIDE + i, monitors[stripes + i]);
        }
    }

    private void retireIf(Predicate<Region> condition, int place, Object monitor) {
        synchronized (monitor) {
            Region region = (Region) PLACE.getAcquire(places, place);
            if (region != null && condition.test(region)) {
                region.retire();
                PLACE.setRelease(places, place, null);
            }
        }
    }
}
