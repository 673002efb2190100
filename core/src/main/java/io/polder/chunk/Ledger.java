package io.polder.chunk;

import io.polder.memory.MemoryBudget;
import io.polder.memory.OsCallException;

import org.jspecify.annotations.Nullable;

/**
 * Sums over a whole space, and what has happened so far.
 *
 * <p>What counts here was charged to the {@link MemoryBudget} before, and is refunded when it
 * counts no more. What is charged is written down by a store right after the charge, and is no
 * longer by one right after the refund: so the budget has neither too much nor too little of this
 * space, and what was charged in vain is known. What else the sums must be equal to is in {@link
 * SpaceCheck}.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link SpaceState} it belongs to.
 */
final class Ledger {
    private final MemoryBudget budget;

    /** Address space of root chunks. */
    long reservedBytes;

    /** The sum of all commit masks. */
    long committedBytes;

    /** What the budget was charged with as reserved: reserved, and coming. */
    long reservedCharged;

    /** What the budget was charged with as committed: the committed bytes. */
    long committedCharged;

    /** Capacity of the chunks that have an owner. */
    long usedBytes;

    /** Capacity of the chunks that the {@link Uncommitter} has isolated. */
    long isolatedBytes;

    /** Address space that is charged, and that {@link Growth} is about to reserve. */
    long comingBytes;

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

    /** Charges memory that is about to be committed; returns false if the limit is in the way. */
    boolean tryCommit(long bytes) {
        if (!budget.tryCommit(bytes)) {
            return false;
        }
        committedCharged += bytes;
        return true;
    }

    /** Charges address space about to be reserved; returns false if the limit is in the way. */
    boolean tryReserve(long bytes) {
        if (!budget.tryReserve(bytes)) {
            return false;
        }
        reservedCharged += bytes;
        return true;
    }

    /** Counts pages that the budget was charged with. */
    void committed(long pageCount, OsPages pages) {
        committedBytes += pageCount * pages.bytes();
        pagesCommitted += pageCount;
    }

    /** Counts pages no more, and refunds them. */
    void uncommitted(long pageCount, OsPages pages) {
        committedBytes -= pageCount * pages.bytes();
        pagesUncommitted += pageCount;
        refund();
    }

    /** Refunds what is charged, and neither counts nor is about to. */
    void refund() {
        long committed = committedCharged - committedBytes;
        if (committed > 0) {
            budget.uncommitted(committed);
            committedCharged -= committed;
        }
        long reserved = reservedCharged - reservedBytes - comingBytes;
        if (reserved > 0) {
            budget.released(reserved);
            reservedCharged -= reserved;
        }
    }

    /** Corrects the sum of all commit masks. */
    void recountCommitted(long pageCount, OsPages pages) {
        long change = pageCount - (pagesCommitted - pagesUncommitted);
        pagesCommitted += Math.max(change, 0);
        pagesUncommitted += Math.max(-change, 0);
        committedBytes = pageCount * pages.bytes();
    }
}
