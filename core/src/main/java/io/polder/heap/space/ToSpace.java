package io.polder.heap.space;

import io.polder.event.EventHold;
import io.polder.memory.MemoryExhaustedException;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Where objects are evacuated to.
 *
 * <pre>{@code
 *   reserve --> prepared, small regions --> current, one of each type --> retired when full
 * }</pre>
 *
 * <p>Before a cycle small regions are prepared for what will be copied, as far as there is memory,
 * so that nobody has to take a page inside the evacuation gate. Where the pool has a limit one more
 * is kept in reserve, unless the heap is tiny: a heap can be compacted still when the pool is full.
 * It is of the largest type in use, but no larger than an eighth of all regions.
 *
 * <p>If there is no page of an object's type, a smaller one will do, then the reserve, then the
 * room that is left in any current region: what is copied to belongs to no type.
 *
 * <p>Current regions stay for the next cycle.
 *
 * <p>Failure. Every region that was opened is stored in place, in a field or an array that has room
 * for it, before anything else is called; it leaves when the next owner has it, or when it is
 * closed. So whoever is cut off leaves it to the next one.
 *
 * <p>Thread-safe: one monitor for all but the allocation in a current region.
 */
final class ToSpace {
    /** From so many regions on there is a reserve. */
    static final int RESERVE_FROM_REGIONS = 2;

    /** The reserve is at most one part of so many of all regions; guessed. */
    private static final int RESERVE_PART = 8;

    private final Regions regions;
    private final int failEvery;
    private final boolean reserves;
    private final AtomicLong attempts = new AtomicLong();
    private final AtomicReferenceArray<@Nullable Region> current =
            new AtomicReferenceArray<>(RegionType.sharedCount());
    private @Nullable Region[] prepared = new @Nullable Region[8];
    private int preparedCount;
    private @Nullable Region reserve;

    /** By type: one that is open and not yet the current one. */
    private final @Nullable Region[] next = new @Nullable Region[RegionType.sharedCount()];

    /** Was in reserve, and is about to be closed. */
    private @Nullable Region discarded;

    /** Pages from this size on cannot be had; not asked for again in this cycle. */
    private long refusedFromBytes = Long.MAX_VALUE;

    /** When a larger reserve was refused: how much there was in regions. */
    private long refusedReserveAtBytes;

    /**
     * No memory yet.
     *
     * @param settings whether to keep a reserve, and which allocations fail
     */
    ToSpace(Regions regions, HeapSettings settings) {
        this.regions = regions;
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
        Region region = current.get(type.place());
        long address = region == null ? 0 : region.allocate(footprintBytes, header);
        return address != 0 ? address : allocateInNext(type, footprintBytes, header);
    }

    private long allocateInNext(RegionType type, long footprintBytes, long header) {
        try (EventHold _ = EventHold.begin()) {
            return allocateInNextLocking(type, footprintBytes, header);
        }
    }

    private synchronized long allocateInNextLocking(
            RegionType type, long footprintBytes, long header) {
        int place = type.place();
        Region region = current.get(place);
        long address = region == null ? 0 : region.allocate(footprintBytes, header);
        while (address == 0) {
            if (next[place] == null) {
                findNextLocked(type, place, footprintBytes);
            }
            Region found = next[place];
            if (found == null) {
                return allocateAnywhere(footprintBytes, header);
            }
            if (region != null) {
                region.retire();
            }
            region = found;
            current.set(place, region);
            next[place] = null;
            address = region.allocate(footprintBytes, header);
        }
        return address;
    }

    private void findNextLocked(RegionType type, int place, long footprintBytes) {
        if (type == RegionType.SMALL && preparedCount > 0) {
            takePreparedLocked(place);
            return;
        }
        for (RegionType each = type;
                next[place] == null && each != null && footprintBytes <= each.bytes();
                each = each.smaller()) {
            next[place] = open(each);
        }
        if (next[place] == null
                && preparedCount > 0
                && footprintBytes <= RegionType.SMALL.bytes()) {
            takePreparedLocked(place);
        }
        Region last = reserve;
        if (next[place] == null && last != null && footprintBytes <= last.bytes()) {
            next[place] = last;
            reserve = null;
        }
    }

    private void takePreparedLocked(int place) {
        next[place] = prepared[preparedCount - 1];
        preparedCount--;
        prepared[preparedCount] = null;
    }

    /** Room that is left in a current region, whatever its type. */
    private long allocateAnywhere(long footprintBytes, long header) {
        for (int i = 0; i < current.length(); i++) {
            Region region = current.get(i);
            long address = region == null ? 0 : region.allocate(footprintBytes, header);
            if (address != 0) {
                return address;
            }
        }
        return 0;
    }

    private @Nullable Region open(RegionType type) {
        if (type.bytes() >= refusedFromBytes) {
            return null;
        }
        try {
            return regions.openToEvacuate(type);
        } catch (MemoryExhaustedException | IllegalStateException noneOrClosedPool) {
            refusedFromBytes = type.bytes();
            return null;
        }
    }

    /** Makes small regions ready, so many as can be had. */
    synchronized void prepare(int count) {
        refusedFromBytes = Long.MAX_VALUE;
        if (prepared.length < count) {
            prepared = Arrays.copyOf(prepared, count);
        }
        while (preparedCount < count) {
            prepared[preparedCount] = open(RegionType.SMALL);
            if (prepared[preparedCount] == null) {
                return;
            }
            preparedCount++;
        }
    }

    /** Gives back what was prepared and not needed, and sees to the reserve. */
    synchronized void finish() {
        while (preparedCount > 0) {
            Region region = prepared[preparedCount - 1];
            if (region != null) {
                region.retire(); // first: from now on it is given back in any case, being empty
            }
            preparedCount--;
            prepared[preparedCount] = null;
            if (region != null) {
                long _ = regions.close(region);
            }
        }
        refusedReserveAtBytes = 0;
        seeToReserve();
    }

    /**
     * Has a region in reserve if the heap is large enough for it, and there is memory; one of a
     * larger type when there are such regions.
     */
    synchronized void seeToReserve() {
        closeDiscardedLocked();
        if (!reserves) {
            return;
        }
        List<Region> all = regions.list();
        long bytes = 0;
        RegionType wanted = RegionType.SMALL;
        for (Region region : all) {
            bytes += region.bytes();
            boolean larger = region.type().bytes() > wanted.bytes(); // 0 for those that stay
            wanted = larger ? region.type() : wanted;
        }
        for (RegionType each = wanted; each != null; each = each.smaller()) {
            wanted = each;
            if (each.bytes() <= bytes / RESERVE_PART) {
                break;
            }
        }
        seeToReserve(all.size() >= RESERVE_FROM_REGIONS ? wanted : null, bytes);
    }

    private void seeToReserve(@Nullable RegionType wanted, long regionBytes) {
        Region now = reserve;
        long bytes = now == null ? 0 : now.bytes();
        if (now != null && (wanted == null || bytes > 2 * wanted.bytes())) {
            discarded = now;
            reserve = null;
            bytes = 0;
            closeDiscardedLocked();
        }
        boolean again =
                reserve == null
                        || regionBytes - regionBytes / RESERVE_PART >= refusedReserveAtBytes;
        if (wanted != null && wanted.bytes() > bytes && again) {
            enlargeReserveLocked(wanted, bytes, regionBytes);
        }
    }

    /** Has a larger reserve, the largest that there is memory for. */
    private void enlargeReserveLocked(RegionType wanted, long bytes, long regionBytes) {
        refusedFromBytes = Long.MAX_VALUE;
        for (RegionType each = wanted;
                each != null && each.bytes() > bytes;
                each = each.smaller()) {
            Region larger = open(each);
            if (larger != null) {
                discarded = reserve;
                reserve = larger;
                closeDiscardedLocked();
                return;
            }
            refusedReserveAtBytes = regionBytes;
        }
    }

    private void closeDiscardedLocked() {
        Region region = discarded;
        if (region != null) {
            region.retire(); // first: from now on it is given back in any case, being empty
            discarded = null;
            long _ = regions.close(region);
        }
    }

    /** How much can be copied although there is no page to be had. */
    synchronized long reserveBytes() {
        return reserve == null ? 0 : reserve.bytes();
    }

    /** How much room there is in current regions. */
    synchronized long restBytes() {
        long rest = 0;
        for (int i = 0; i < current.length(); i++) {
            Region region = current.get(i);
            rest += region == null ? 0 : region.bytes() - region.filledBytes();
        }
        return rest;
    }

    /** Retires current regions in which something has died, so that they can be evacuated. */
    synchronized void retireCurrent() {
        for (int i = 0; i < current.length(); i++) {
            Region region = current.get(i);
            if (region != null && region.deadBytes() > 0) {
                region.retire();
                current.set(i, null);
            }
        }
    }
}
