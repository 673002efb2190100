package io.polder.chunk;

/**
 * The size of an OS page, and how root chunks divide into them.
 *
 * @param shift the binary logarithm of the size
 */
record OsPages(int shift) {

    /**
     * OS pages of this size.
     *
     * @throws IllegalArgumentException if a root chunk is not a whole number of them, or the
     *     smallest chunk is larger than one
     */
    static OsPages of(long osPageBytes) {
        if (Long.bitCount(osPageBytes) != 1
                || osPageBytes < ChunkLevel.SMALLEST_BYTES
                || osPageBytes > ChunkLevel.ROOT_BYTES) {
            throw new IllegalArgumentException(
                    "an OS page must be a power of two between the smallest chunk and a root chunk:"
                            + " osPageBytes="
                            + osPageBytes);
        }
        return new OsPages(Long.numberOfTrailingZeros(osPageBytes));
    }

    long bytes() {
        return 1L << shift;
    }

    /** How many there are in a root chunk. */
    int perRoot() {
        return (int) (ChunkLevel.ROOT_BYTES >>> shift);
    }

    /** The level of the chunks that are as large as one. */
    int level() {
        return ChunkLevel.fitting(bytes());
    }

    /** The page in which an offset lies. */
    int containing(long offset) {
        return (int) (offset >>> shift);
    }

    /** The first page that begins at an offset or after it. */
    int from(long offset) {
        return (int) ((offset + bytes() - 1) >>> shift);
    }
}
