package io.polder.heap.space;

import io.polder.event.EventHold;
import io.polder.memory.MemoryExhaustedException;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Where objects are evacuated to.
 *
 * <pre>{@code
 *   reserve --> prepared, small regions --> current, one of each kind --> retired when full
 * }</pre>
 *
 * <p>Before a cycle small regions are prepared for what will be copied, as far as there is memory,
 * so that nobody has to take a page inside the evacuation gate. Where the pool has a limit one more
 * is kept in reserve, unless the heap is tiny: a heap can be compacted still when the pool is full.
 * It is of the largest kind in use, but no larger than an eighth of all regions.
 *
 * <p>If there is no page of an object's kind, a smaller one will do, then the reserve, then the room
 * that is left in any current region: what is copied to belongs to no kind.
 *
 * <p>Current regions stay for the next cycle.
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
            new AtomicReferenceArray<>(Kind.sharedCount());
    private final ArrayDeque<Region> prepared = new ArrayDeque<>();
    private @Nullable Region reserve;

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
     * Makes room for a copy.
     *
     * @return its address; 0 if there is none
     */
    long allocate(Kind kind, long footprintBytes) {
        if (failEvery != 0 && attempts.incrementAndGet() % failEvery == 0) {
            return 0;
        }
        Region region = current.get(kind.place());
        long address = region == null ? 0 : region.allocate(footprintBytes);
        return address != 0 ? address : allocateInNext(kind, footprintBytes);
    }

    private long allocateInNext(Kind kind, long footprintBytes) {
        try (EventHold _ = EventHold.begin()) {
            return allocateInNextLocking(kind, footprintBytes);
        }
    }

    private synchronized long allocateInNextLocking(Kind kind, long footprintBytes) {
        Region region = current.get(kind.place());
        long address = region == null ? 0 : region.allocate(footprintBytes);
        while (address == 0) {
            Region next = next(kind, footprintBytes);
            if (next == null) {
                return allocateAnywhere(footprintBytes);
            }
            if (region != null) {
                region.retire();
            }
            current.set(kind.place(), next);
            region = next;
            address = next.allocate(footprintBytes);
        }
        return address;
    }

    private @Nullable Region next(Kind kind, long footprintBytes) {
        Region next = kind == Kind.SMALL ? prepared.pollFirst() : null;
        for (Kind each = kind;
                next == null && each != null && footprintBytes <= each.bytes();
                each = each.smaller()) {
            next = open(each);
        }
        if (next == null && footprintBytes <= Kind.SMALL.bytes()) {
            next = prepared.pollFirst();
        }
        if (next == null && reserve != null && footprintBytes <= reserve.bytes()) {
            next = reserve;
            reserve = null;
        }
        return next;
    }

    /** Room that is left in a current region, whatever its kind. */
    private long allocateAnywhere(long footprintBytes) {
        for (int i = 0; i < current.length(); i++) {
            Region region = current.get(i);
            long address = region == null ? 0 : region.allocate(footprintBytes);
            if (address != 0) {
                return address;
            }
        }
        return 0;
    }

    private @Nullable Region open(Kind kind) {
        if (kind.bytes() >= refusedFromBytes) {
            return null;
        }
        try {
            return regions.openToEvacuate(kind);
        } catch (MemoryExhaustedException | IllegalStateException noneOrClosedPool) {
            refusedFromBytes = kind.bytes();
            return null;
        }
    }

    /** Makes small regions ready, so many as can be had. */
    synchronized void prepare(int count) {
        refusedFromBytes = Long.MAX_VALUE;
        while (prepared.size() < count) {
            Region region = open(Kind.SMALL);
            if (region == null) {
                return;
            }
            prepared.addLast(region);
        }
    }

    /** Gives back what was prepared and not needed, and sees to the reserve. */
    synchronized void finish() {
        while (!prepared.isEmpty()) {
            regions.close(prepared.removeFirst());
        }
        refusedReserveAtBytes = 0;
        seeToReserve();
    }

    /**
     * Has a region in reserve if the heap is large enough for it, and there is memory; one of a
     * larger kind when there are such regions.
     */
    synchronized void seeToReserve() {
        if (!reserves) {
            return;
        }
        List<Region> all = regions.list();
        long bytes = 0;
        Kind wanted = Kind.SMALL;
        for (Region region : all) {
            bytes += region.bytes();
            boolean larger = region.kind().bytes() > wanted.bytes(); // 0 for those that stay
            wanted = larger ? region.kind() : wanted;
        }
        for (Kind each = wanted; each != null; each = each.smaller()) {
            wanted = each;
            if (each.bytes() <= bytes / RESERVE_PART) {
                break;
            }
        }
        seeToReserve(all.size() >= RESERVE_FROM_REGIONS ? wanted : null, bytes);
    }

    private void seeToReserve(@Nullable Kind wanted, long regionBytes) {
        Region now = reserve;
        long bytes = now == null ? 0 : now.bytes();
        if (now != null && (wanted == null || bytes > 2 * wanted.bytes())) {
            reserve = null;
            regions.close(now);
            bytes = 0;
        }
        boolean again =
                reserve == null
                        || regionBytes - regionBytes / RESERVE_PART >= refusedReserveAtBytes;
        if (wanted != null && wanted.bytes() > bytes && again) {
            replaceReserve(wanted, regionBytes);
        }
    }

    /** Has a larger reserve, the largest that there is memory for. */
    private void replaceReserve(Kind wanted, long regionBytes) {
        Region old = reserve;
        refusedFromBytes = Long.MAX_VALUE;
        Region larger = open(wanted);
        if (larger == null) {
            refusedReserveAtBytes = regionBytes;
        }
        for (Kind each = wanted.smaller(); larger == null && each != null; each = each.smaller()) {
            if (old != null && each.bytes() <= old.bytes()) {
                break;
            }
            larger = open(each);
        }
        if (larger != null) {
            reserve = larger;
            if (old != null) {
                regions.close(old);
            }
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
