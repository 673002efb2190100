package io.polder.chunk;

/**
 * Sums over the chunks of a whole space, and what has happened to them so far. What memory there is
 * stands in the {@link SpaceState} itself.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link SpaceState} it belongs to.
 */
final class Ledger {
    /** Capacity of the chunks that have an owner. */
    long usedBytes;

    /** Capacity of the chunks that the {@link Uncommitter} has isolated. */
    long isolatedBytes;

    long splits;
    long merges;
    long enlargements;
}
