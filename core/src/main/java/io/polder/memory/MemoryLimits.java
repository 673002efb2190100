package io.polder.memory;

/**
 * How much memory a {@link MemoryBudget} allows.
 *
 * @param committedMaxBytes memory touched and not given back, at most
 * @param reservedMaxBytes address space, at most
 */
public record MemoryLimits(long committedMaxBytes, long reservedMaxBytes) {

    /** The least limit: what a pool reserves at a time at least. */
    public static final long LEAST_BYTES = 4L << 20;

    /** What the addresses of a process reach on x86-64 with four levels of page tables. */
    public static final long ADDRESS_SPACE_BYTES = 1L << 47;

    /** No limit but the address space. */
    public static final MemoryLimits NONE =
            new MemoryLimits(ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES);

    /**
     * Checks both limits.
     *
     * @throws IllegalArgumentException if one is smaller than {@link #LEAST_BYTES} or larger than
     *     the address space
     */
    public MemoryLimits {
        check("committedMaxBytes", committedMaxBytes);
        check("reservedMaxBytes", reservedMaxBytes);
    }

    /** Whether these are {@link #NONE}. What a record is given for it is generated at first use. */
    public boolean isNone() {
        return committedMaxBytes == ADDRESS_SPACE_BYTES && reservedMaxBytes == ADDRESS_SPACE_BYTES;
    }

    private static void check(String name, long bytes) {
        if (bytes < LEAST_BYTES || bytes > ADDRESS_SPACE_BYTES) {
            throw new IllegalArgumentException(
                    Message.of(
                            "% must be from one root chunk to the address space, % to % bytes: %=%",
                            name, LEAST_BYTES, ADDRESS_SPACE_BYTES, name, bytes));
        }
    }
}
