package io.polder.heap.space;

import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

/**
 * What a region is for: as pages of ZGC, regions are small, medium or large. An object takes at
 * most an eighth of its region, so that the end of a region that nothing fits into is small; what
 * would need more than the greatest gets a page of its own.
 */
enum RegionType {
    SMALL(0, 1),
    MEDIUM_4(1, 2),
    MEDIUM_8(2, 4),
    MEDIUM_16(3, 8),
    MEDIUM_32(4, 16),
    LARGE(-1, 0);

    private static final int OBJECTS_MIN = 8;
    private static final RegionType[] SHARED = {SMALL, MEDIUM_4, MEDIUM_8, MEDIUM_16, MEDIUM_32};

    private final int place;
    private final long bytes;

    RegionType(int place, int granules) {
        this.place = place;
        this.bytes = granules * PageSpace.GRANULE_BYTES;
    }

    /** The size of such a region; 0 for large ones, which are as large as their object. */
    long bytes() {
        return bytes;
    }

    /** A number from 0 on for types that objects share. */
    int place() {
        return place;
    }

    /** The next smaller type that is shared by objects; null if there is none. */
    @Nullable RegionType smaller() {
        return place > 0 ? SHARED[place - 1] : null;
    }

    /** How many types are shared by objects. */
    static int sharedCount() {
        return SHARED.length;
    }

    /** The type of region for an object that takes so many bytes, header included. */
    static RegionType of(long footprintBytes) {
        if (footprintBytes <= SMALL.bytes / OBJECTS_MIN) {
            return SMALL;
        }
        for (RegionType type : SHARED) {
            if (footprintBytes <= type.bytes / OBJECTS_MIN) {
                return type;
            }
        }
        return LARGE;
    }
}
