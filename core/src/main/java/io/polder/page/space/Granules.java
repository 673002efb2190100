package io.polder.page.space;

import io.polder.memory.MemoryLimits;

/** Arithmetic of granules. */
final class Granules {
    /** Bytes of a granule, as a power of two. */
    static final int SHIFT = Long.numberOfTrailingZeros(PageSpace.GRANULE_BYTES);

    /** More than this many are in no address space. */
    static final int COUNT_MAX = Math.toIntExact(MemoryLimits.ADDRESS_SPACE_BYTES >> SHIFT);

    private Granules() {}

    static long bytes(long count) {
        return count << SHIFT;
    }

    /** How many granules hold so many bytes, which may be none or more than there are. */
    static long holding(long bytes) {
        return (bytes >> SHIFT) + ((bytes & PageSpace.GRANULE_BYTES - 1) == 0 ? 0 : 1);
    }

    /**
     * How many granules a page of so many bytes has.
     *
     * @throws IllegalArgumentException if that is none, or more than an address space has
     */
    static int count(long bytes) {
        if (bytes <= 0 || bytes > MemoryLimits.ADDRESS_SPACE_BYTES) {
            throw new IllegalArgumentException(
                    "a page must have from 1 byte to the address space, "
                            + MemoryLimits.ADDRESS_SPACE_BYTES
                            + ": bytes="
                            + bytes);
        }
        return (int) holding(bytes);
    }

    /** The size class of a free run: the greatest power of two not above it. */
    static int runClass(int count) {
        return 31 - Integer.numberOfLeadingZeros(count);
    }

    /** The size class of a request: the least power of two not below it. */
    static int requestClass(int count) {
        return 32 - Integer.numberOfLeadingZeros(count - 1);
    }
}
