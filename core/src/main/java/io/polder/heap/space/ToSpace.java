package io.polder.heap.space;

import io.polder.event.EventHold;
import io.polder.memory.MemoryExhaustedException;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
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
 * <p>Failure. Every region that was opened is stored in place, in a field or an array that has room
 * for it, before anything else is called; it leaves when the next owner has it, or when it is
 * closed. So whoever is cut off leaves it to the next one.
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
    private @Nullable Region[] prepared = new @Nullable Region[8];
    private int preparedCount;
    private @Nullable Region reserve;

    /** By kind: one that is open and not yet the current one. */
    private final @Nullable Region[] next = new @Nullable Region[Kind.sharedCount()];

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
    long allocate(Kind kind, long footprintBytes, long header) {
        if (failEvery != 0 && attempts.incrementAndGet() % failEvery == 0) {
            return 0;
        }
        Region region = current.get(kind.place());
        long address = region == null ? 0 : region.allocate(footprintBytes, header);
        return address != 0 ? address : allocateInNext(kind, footprintBytes, header);
    }

    private long allocateInNext(Kind kind, long footprintBytes, long header) {
        try (EventHold _ = EventHold.begin()) {
            return allocateInNextLocking(kind, footprintBytes, header);
        }
    }

    private synchronized long allocateInNextLocking(Kind kind, long footprintBytes, long header) {
        int place = kind.place();
        Region region = current.get(place);
        long address = region == null ? 0 : region.allocate(footprintBytes, header);
        while (address == 0) {
            if (next[place] == null) {
                findNextLocked(kind, place);
            }
            Region found = next[place];
            if (found == null) {
                return 0;
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

    private void findNextLocked(Kind kind, int place) {
        boolean small = kind == Kind.SMALL;
        if (small && preparedCount > 0) {
            next[place] = prepared[preparedCount - 1];
            preparedCount--;
            prepared[preparedCount] = null;
            return;
        }
        next[place] = open(kind);
        if (next[place] == null && small) {
            next[place] = reserve;
            reserve = null;
        }
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
        if (prepared.length < count) {
            prepared = Arrays.copyOf(prepared, count);
        }
        while (preparedCount < count) {
            prepared[preparedCount] = open(Kind.SMALL);
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
                regions.close(region);
            }
            preparedCount--;
            prepared[preparedCount] = null;
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
