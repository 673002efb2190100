package io.polder.memory;

/**
 * Is told of memory, piece by piece in the order of addresses, in the words of the public {@code
 * PoolMap}. Those who tell may hold a lock, so no method here takes one.
 */
@FunctionalInterface
public interface MapSink {
    /** Adds a piece, behind those that came since the last area ended. */
    void piece(String state, long bytes, long usedBytes);

    /** Ends an area of a part, which has the pieces since the last one ended. */
    default void area(String part, long address, long committedBytes) {}
}
