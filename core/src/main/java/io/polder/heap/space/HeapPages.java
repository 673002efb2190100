package io.polder.heap.space;

import io.polder.memory.MemoryExhaustedException;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import java.util.List;

/**
 * The pages of one heap, within its own limit and that of the pool.
 *
 * <p><b>Headroom.</b> New objects leave so much of the heap's own limit that a region of the
 * largest type in use can be evacuated, at most an eighth of it: so a heap that is full can be
 * compacted.
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

    /** Of its own limit a heap keeps one part of so many, at most. */
    private static final int HEADROOM_PART = 8;

    private final PageSpace pages;
    private final long maxBytes;
    private final long headroomMaxBytes;
    private volatile long headroomBytes = PageSpace.GRANULE_BYTES;
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
        this.headroomMaxBytes =
                Math.max(PageSpace.GRANULE_BYTES, Long.highestOneBit(maxBytes / HEADROOM_PART));
    }

    /** What their pool is called. */
    String poolName() {
        return pages.poolName();
    }

    /**
     * From now on there is headroom for regions of a type, too. A hint: of two threads one may be
     * overlooked, until the next one comes.
     */
    void keepRoomFor(RegionType type) {
        long bytes = Math.min(type.bytes(), headroomMaxBytes);
        if (bytes > headroomBytes) {
            headroomBytes = bytes;
        }
    }

    /** From now on there is headroom for regions as there are now, and no more. */
    void keepRoomFor(List<Region> all) {
        long largest = PageSpace.GRANULE_BYTES;
        for (Region region : all) {
            largest = Math.max(largest, region.type().bytes()); // 0 for large ones: they stay
        }
        headroomBytes = Math.min(largest, headroomMaxBytes);
    }

    /** How much of the heap's own limit there is to evacuate to: no more than the headroom. */
    long roomToEvacuate() {
        return Math.min(headroomBytes, maxBytes - takenBytes);
    }

    /**
     * Takes a page whose content is anything; leaves the headroom of the heap's own limit.
     *
     * @throws MemoryExhaustedException if a limit or the system is in the way
     * @throws IllegalStateException if the pool is closed
     */
    Extent take(long bytes) {
        return take(bytes, maxBytes - headroomBytes);
    }

    /** Takes a page to evacuate to, also if that uses up the limit. */
    Extent takeToEvacuate(long bytes) {
        return take(bytes, maxBytes);
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

    /** How much the pool has for pages, free already or under its limit. A hint. */
    long roomInPool() {
        return pages.roomBytes();
    }

    /** Announces that pages of this size will be taken soon. */
    void expect(long bytes, int count) {
        try {
            pages.expect(bytes, count);
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
