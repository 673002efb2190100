package io.polder.block;

/**
 * What is around the blocks of a pool: messages about an address that is no block of it say what it
 * is.
 *
 * <p>Thread-safe. May be asked with any lock of the blocks held, and takes those of chunks and
 * pages alone.
 */
@FunctionalInterface
public interface Surroundings {
    /** Nobody knows what they are. */
    Surroundings UNKNOWN = address -> "";

    /**
     * Who has the memory at an address where this pool has no block.
     *
     * @return such as {@code pages or heaps of this pool}; empty if nobody knows
     */
    String at(long address);
}
