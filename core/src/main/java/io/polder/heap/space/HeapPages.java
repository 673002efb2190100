package io.polder.heap.space;

import io.polder.memory.MemoryExhaustedException;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import java.util.List;

/**
 * The pages of one heap, within its own limit and that of the pool.
 *
 * <p><b>Headroom.</b> New objects leave so much of the heap's own limit that any region that
 * objects share can be evacuated: so a heap that is full can be compacted. Such a region is at most
 * an eighth of the heap when it is opened, but for one that a single object fills. A page that is
 * kept in reserve counts as headroom.
 *
 * <p>Invariants: {@code 0 <= takenBytes <= maxBytes}; takenBytes is the sum of the pages that are
 * taken, and of those that somebody is about to take or to give.
 *
 * <p>Failure. A page is counted before it is taken until after it was given, by stores in place: so
 * whatever is thrown, a take that throws has changed nothing, nor has a give.
 *
 * <p>Thread-safe: its monitor guards {@code takenBytes} to write, and nothing is called under it.
 */
final class HeapPages {
    /** What messages call its own limit. */
    private static final String OWN_LIMIT = "heap";

    /** A region that objects share is one part of so many of the heap, at most. */
    private static final int SHARED_PART = 8;

    private final PageSpace pages;
    private final long maxBytes;

    /** The largest region that objects share. */
    private volatile long largestSharedBytes;

    /** How much is kept in reserve. */
    private volatile long reserveBytes;

    private volatile long takenBytes;

    /**
     * No pages yet.
     *
     * @param pages where they come from
     * @param maxBytes how much to take at most
     */
    HeapPages(PageSpace pages, long maxBytes) {
        this.pages = pages;
        this.maxBytes = maxBytes;
    }

    /** What their pool is called. */
    String poolName() {
        return pages.poolName();
    }

    /** How large a region that objects share should be at most, for the heap as it is now. */
    long sharedMaxBytes() {
        return sharedMaxBytes(takenBytes);
    }

    private static long sharedMaxBytes(long heapBytes) {
        long part = Long.highestOneBit(heapBytes / SHARED_PART);
        return Math.clamp(part, PageSpace.GRANULE_BYTES, RegionType.MEDIUM_32.bytes());
    }

    /** From now on there is headroom for regions as there are now, and no more. */
    void keepRoomFor(List<Region> all) {
        long largest = 0;
        for (Region region : all) {
            largest = Math.max(largest, region.type() == RegionType.LARGE ? 0 : region.bytes());
        }
        largestSharedBytes = largest;
    }

    /** A page of this size is in reserve; 0 if there is none. */
    void setReserve(long bytes) {
        reserveBytes = bytes;
    }

    private long headroomBytes(long sharedBytes) {
        return Math.max(0, Math.min(sharedBytes, sharedMaxBytes(maxBytes)) - reserveBytes);
    }

    /**
     * Takes a page for a region that objects share, whose content is anything; leaves headroom to
     * evacuate it. That it is one of the largest is a hint: of two threads one may be overlooked,
     * until the next one comes.
     *
     * @throws MemoryExhaustedException if a limit or the system is in the way
     * @throws IllegalStateException if the pool is closed
     */
    Extent takeShared(long bytes) {
        long largest = Math.max(largestSharedBytes, bytes);
        Extent page = take(bytes, maxBytes - headroomBytes(largest));
        if (largest > largestSharedBytes) {
            largestSharedBytes = largest;
        }
        return page;
    }

    /** Takes a page for something else, and leaves the headroom. */
    Extent take(long bytes) {
        return take(bytes, maxBytes - headroomBytes(largestSharedBytes));
    }

    /** Takes a page to evacuate to, also if that uses up the limit. */
    Extent takeToEvacuate(long bytes) {
        return take(bytes, maxBytes);
    }

    /** Whether a page of this size should be had now, also for a region that objects share. */
    boolean hasRoom(long bytes) {
        long headroom = headroomBytes(Math.max(largestSharedBytes, PageSpace.GRANULE_BYTES));
        return bytes <= maxBytes - headroom - takenBytes && bytes <= pages.roomBytes();
    }

    /** Whether what is to be left to evacuate to is there. */
    boolean hasHeadroom() {
        return headroomBytes(largestSharedBytes) <= maxBytes - takenBytes;
    }

    /** How much there is to evacuate to, within both limits. A hint. */
    long roomToEvacuate() {
        return Math.min(maxBytes - takenBytes, pages.roomBytes());
    }

    private Extent take(long bytes, long limitBytes) {
        long rounded = (bytes + PageSpace.GRANULE_BYTES - 1) & -PageSpace.GRANULE_BYTES;
        long now;
        boolean fits;
        synchronized (this) {
            now = takenBytes;
            fits = rounded <= limitBytes - now;
            if (fits) {
                takenBytes = now + rounded;
            }
        }
        boolean taken = !fits;
        try {
            if (!fits) {
                throw MemoryExhaustedException.overLimit(
                        OWN_LIMIT, maxBytes, now, maxBytes - limitBytes, rounded, poolName());
            }
            Extent page = pages.take(rounded, false);
            taken = true;
            return page;
        } finally {
            if (!taken) {
                synchronized (this) {
                    takenBytes = takenBytes - rounded;
                }
            }
        }
    }

    /**
     * Gives a page back.
     *
     * @param dirtyBytes how much of it, from its front, was written
     */
    void give(Extent page, long dirtyBytes) {
        long bytes = page.bytes();
        pages.give(page, dirtyBytes);
        synchronized (this) {
            takenBytes = takenBytes - bytes;
        }
    }

    /** Whether it was the heap's own limit that was in the way. */
    static boolean byOwnLimit(MemoryExhaustedException full) {
        return OWN_LIMIT.equals(full.limit());
    }

    /** Whether their pool is closed. */
    boolean isShut() {
        return pages.isShut();
    }

    /** Announces that pages of this size will be taken soon. */
    void expect(long bytes, int count) {
        try {
            pages.prefetch(bytes, count);
        } catch (IllegalStateException closedPool) {
            return; // then there are none: the cycle finds that out
        }
    }

    long takenBytes() {
        return takenBytes;
    }

    long maxBytes() {
        return maxBytes;
    }
}
