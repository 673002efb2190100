package io.polder.chunk;

import io.polder.memory.OsCallException;

import org.jspecify.annotations.Nullable;

/**
 * Sums over a whole space, so that a limit is compared with one number; and what has happened so
 * far.
 *
 * <p>What the sums must be equal to is in {@link SpaceCheck}.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link SpaceState} it belongs to.
 */
final class Ledger {
    final ChunkLimits limits;

    /** Address space, of root chunks and large mappings. */
    long reservedBytes;

    /** The sum of all commit masks and large mappings. */
    long committedBytes;

    /** Capacity of the chunks and large mappings that have an owner. */
    long usedBytes;

    /** Capacity of the chunks that a pass of the {@link Uncommitter} has in hand. */
    long claimedBytes;

    long splits;
    long merges;
    long enlargements;

    /** OS pages committed so far; less those uncommitted, they are committed now. */
    long pagesCommitted;

    long pagesUncommitted;

    /** Calls that the operating system refused. */
    long failures;

    /** The last of them; null if there was none. */
    @Nullable OsCallException lastRefusal;

    Ledger(ChunkLimits limits) {
        this.limits = limits;
    }

    boolean canCommit(long bytes) {
        return bytes <= limits.committedMaxBytes() - committedBytes;
    }

    boolean canReserve(long bytes) {
        return bytes <= limits.reservedMaxBytes() - reservedBytes;
    }

    void refused(OsCallException refusal) {
        failures++;
        lastRefusal = refusal;
    }

    void committed(long pageCount, OsPages pages) {
        committedBytes += pageCount * pages.bytes();
        pagesCommitted += pageCount;
    }

    void uncommitted(long pageCount, OsPages pages) {
        committedBytes -= pageCount * pages.bytes();
        pagesUncommitted += pageCount;
    }
}
