package io.polder.chunk;

/**
 * How much a {@link ChunkSpace} may have.
 *
 * @param committedMaxBytes memory touched and not given back, at most
 * @param reservedMaxBytes address space, at most
 */
public record ChunkLimits(long committedMaxBytes, long reservedMaxBytes) {

    /** What the addresses of a process reach on x86-64 with four levels of page tables. */
    static final long ADDRESS_SPACE_BYTES = 1L << 47;

    /** No limit but the address space. */
    public static final ChunkLimits NONE =
            new ChunkLimits(ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES);

    /**
     * Checks both limits.
     *
     * @throws IllegalArgumentException if one is smaller than a root chunk or larger than the
     *     address space
     */
    public ChunkLimits {
        check("committedMaxBytes", committedMaxBytes);
        check("reservedMaxBytes", reservedMaxBytes);
    }

    private static void check(String name, long bytes) {
        if (bytes < ChunkLevel.ROOT_BYTES || bytes > ADDRESS_SPACE_BYTES) {
            throw new IllegalArgumentException(
                    name
                            + " must be from one root chunk to the address space, "
                            + ChunkLevel.ROOT_BYTES
                            + " to "
                            + ADDRESS_SPACE_BYTES
                            + " bytes: "
                            + name
                            + "="
                            + bytes);
        }
    }
}
