package io.polder.chunk;

/**
 * The size of an OS page, and how root chunks divide into them.
 *
 * @param shift the binary logarithm of the size
 */
record OsPages(int shift) {

    /** OS pages of this size: a power of two, from the smallest chunk to a root chunk. */
    static OsPages of(long osPageBytes) {
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
