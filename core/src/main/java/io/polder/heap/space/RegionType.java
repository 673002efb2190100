package io.polder.heap.space;

import io.polder.page.space.PageSpace;

/**
 * What a region is for: as pages of ZGC, regions are small, medium or large. An object takes at
 * most an eighth of its region, so that the end of a region that nothing fits into is small; what
 * would need more than the greatest gets a page of its own.
 *
 * <p>In a small heap regions are smaller, since one must be evacuated into what is left of the
 * limit: there an object may take more of its region, or all of it.
 */
enum RegionType {
    SMALL(0, 1),
    MEDIUM_4(1, 2),
    MEDIUM_8(2, 4),
    MEDIUM_16(3, 8),
    MEDIUM_32(4, 16),
    LARGE(5, 0);

    private static final int OBJECTS_MIN = 8;

    private static final RegionType[] SHARED = {SMALL, MEDIUM_4, MEDIUM_8, MEDIUM_16, MEDIUM_32};

    /** A number from 0 on; types that objects share come before that of large ones. */
    final int place;

    /**
     * The size of such a region in a heap that is large enough for it; 0 for large ones, which are
     * as large as their object.
     */
    final long bytes;

    RegionType(int place, int granules) {
        this.place = place;
        this.bytes = granules * PageSpace.GRANULE_BYTES;
    }

    /**
     * The size of such a region in a heap where regions have at most so many bytes: where fewer
     * objects share it than should, one that they fill as far as possible.
     */
    long bytes(long mostBytes, long footprintBytes) {
        long best = PageSpace.roundUp(footprintBytes);
        long most = Math.min(bytes, mostBytes);
        if (footprintBytes <= most / OBJECTS_MIN) {
            return most;
        }
        for (long each = best; each <= most; each += PageSpace.GRANULE_BYTES) {
            long rest = each % footprintBytes;
            long restOfBest = best % footprintBytes;
            best = rest * best <= restOfBest * each ? each : best;
        }
        return best;
    }

    /** The page of an object that is alone in its region. */
    static long leastBytes(long sizeBytes) {
        long footprint = ObjectLayout.footprint(sizeBytes);
        return of(footprint) == LARGE ? largeBytes(sizeBytes) : PageSpace.roundUp(footprint);
    }

    /** The page of a large object, with a word in front of it. */
    static long largeBytes(long sizeBytes) {
        return PageSpace.roundUp(Long.BYTES + ObjectLayout.footprint(sizeBytes));
    }

    /** The type of region for an object that takes so many bytes, header included. */
    static RegionType of(long footprintBytes) {
        for (RegionType type : SHARED) {
            if (footprintBytes <= type.bytes / OBJECTS_MIN) {
                return type;
            }
        }
        return LARGE;
    }
}
