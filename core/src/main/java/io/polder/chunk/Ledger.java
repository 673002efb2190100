package io.polder.chunk;

import io.polder.memory.MemoryBudget;
import io.polder.memory.OsCallException;

import org.jspecify.annotations.Nullable;

/**
 * Sums over a whole space, and what has happened so far.
 *
 * <p>What counts here was charged to the {@link MemoryBudget} before, by whoever commits or
 * reserves, and is refunded when it counts no more. What else the sums must be equal to is in
 * {@link SpaceCheck}.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link SpaceState} it belongs to.
 */
final class Ledger {
    private final MemoryBudget budget;

    /** Address space of root chunks. */
    long reservedBytes;

    /** The sum of all commit masks. */
    long committedBytes;

    /** Capacity of the chunks that have an owner. */
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

    Ledger(MemoryBudget budget) {
        this.budget = budget;
    }

    void refused(OsCallException refusal) {
        failures++;
        lastRefusal = refusal;
    }

    /** Counts pages that the budget was charged with. */
    void committed(long pageCount, OsPages pages) {
        committedBytes += pageCount * pages.bytes();
        pagesCommitted += pageCount;
    }

    /** Counts pages no more, and refunds them. */
    void uncommitted(long pageCount, OsPages pages) {
        long bytes = pageCount * pages.bytes();
        committedBytes -= bytes;
        pagesUncommitted += pageCount;
        budget.uncommitted(bytes);
    }

    /** Counts address space that the budget was charged with. */
    void reserved(long bytes) {
        reservedBytes += bytes;
    }

    /** Counts address space no more, and refunds it. */
    void released(long bytes) {
        reservedBytes -= bytes;
        budget.released(bytes);
    }
}
