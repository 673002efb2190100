package io.polder.block;

/**
 * Says who has the memory at an address where a pool has no block, for messages.
 *
 * <p>Thread-safe. May be asked with any lock of the blocks held, and takes those of chunks and
 * pages alone.
 */
@FunctionalInterface
public interface AddressLookup {
    /** Knows nothing. */
    AddressLookup UNKNOWN = address -> "";

    /**
     * Who has the memory at an address where this pool has no block.
     *
     * @return such as {@code pages or heaps of this pool}; empty if that is not known
     */
    String at(long address);
}
