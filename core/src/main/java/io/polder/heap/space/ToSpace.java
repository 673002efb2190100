package io.polder.heap.space;

import io.polder.event.EventHold;
import io.polder.memory.MemoryExhaustedException;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
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
 *
 * <p>Current regions stay for the next cycle.
 *
 * <p>Thread-safe: one monitor for all but the allocation in a current region.
 */
final class ToSpace {
    /** From so many regions on there is a reserve. */
    static final int RESERVE_FROM_REGIONS = 2;

    private final Regions regions;
    private final int failEvery;
    private final boolean reserves;
    private final AtomicLong attempts = new AtomicLong();
    private final AtomicReferenceArray<@Nullable Region> current =
            new AtomicReferenceArray<>(Kind.sharedCount());
    private final ArrayDeque<Region> prepared = new ArrayDeque<>();
    private @Nullable Region reserve;

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
            Region next = next(kind);
            if (next == null) {
                return 0;
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

    private @Nullable Region next(Kind kind) {
        if (kind != Kind.SMALL) {
            return open(kind);
        }
        Region next = prepared.pollFirst();
        if (next == null) {
            next = open(kind);
        }
        if (next == null) {
            next = reserve;
            reserve = null;
        }
        return next;
    }

    private @Nullable Region open(Kind kind) {
        try {
            return regions.openToEvacuate(kind);
        } catch (MemoryExhaustedException | IllegalStateException noneOrClosedPool) {
            return null;
        }
    }

    /** Makes small regions ready, so many as can be had. */
    synchronized void prepare(int count) {
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
        seeToReserve();
    }

    /** Has a region in reserve if the heap is large enough for it, and there is memory. */
    synchronized void seeToReserve() {
        boolean wanted = reserves && regions.count() >= RESERVE_FROM_REGIONS;
        if (wanted && reserve == null) {
            reserve = open(Kind.SMALL);
        } else if (!wanted && reserve != null) {
            regions.close(reserve);
            reserve = null;
        }
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
