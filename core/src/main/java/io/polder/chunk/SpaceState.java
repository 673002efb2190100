package io.polder.chunk;

import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryProvider;
import io.polder.memory.OsCallException;

import org.jspecify.annotations.Nullable;

/**
 * All that a space knows, and the operations on it that take no more than a moment.
 *
 * <p><b>Locking.</b> Its own monitor guards everything in it: the {@link RootTable} with every
 * {@link RootArea}, the {@link FreeRoots}, the {@link Ledger}. It is the innermost lock of the
 * space. Methods that end in {@code Locked} are called with it held. Under it, nothing reserves,
 * releases, uncommits or writes to payload; {@link MemoryProvider#commit} is called under it, since
 * nobody else may see a page as committed before that has succeeded, and with both providers it is
 * only a check.
 *
 * <p><b>Providers that cannot uncommit</b> have memory behind a reservation at once. Their roots
 * are reserved one at a time, count as committed as a whole, and are released as a whole.
 */
final class SpaceState {
    final MemoryProvider provider;
    final OsPages pages;
    final MemoryBudget budget;
    final Ledger ledger;
    final FreeRoots warm = new FreeRoots();
    final FreeRoots cold = new FreeRoots();
    final RootTable roots = new RootTable();

    /** Whether {@link ChunkSpace#close} was called: nothing can be taken any more. */
    boolean closed;

    SpaceState(MemoryProvider provider, MemoryBudget budget) {
        this.provider = provider;
        this.budget = budget;
        this.pages = OsPages.of(provider.limits().osPageSize());
        this.ledger = new Ledger(budget);
    }

    void checkOpenLocked() {
        if (closed) {
            throw new IllegalStateException("the space is closed");
        }
    }

    /**
     * Takes a chunk without reserving anything: warm before cold, larger before smaller, a chunk
     * without memory before a smaller one without memory.
     *
     * @return {@link Chunk#NONE} if there is neither a chunk nor a root to start
     */
    long takeLocked(int preferred, int smallest) {
        int level = warm.largeEnough(preferred);
        if (level < 0) {
            level = warm.smaller(preferred, smallest);
        }
        if (level >= 0) {
            return takeWarmLocked(level, Math.max(level, preferred));
        }
        level = cold.largeEnough(preferred);
        if (level < 0 && startRootLocked()) {
            return takeLocked(preferred, smallest);
        }
        return level < 0 ? Chunk.NONE : takeColdLocked(level, preferred);
    }

    /** Takes the largest free chunk without memory that is smaller than preferred. */
    long takeSmallerLocked(int preferred, int smallest) {
        int level = cold.smaller(preferred, smallest);
        return level < 0 ? Chunk.NONE : takeColdLocked(level, level);
    }

    private long takeWarmLocked(int from, int level) {
        RootArea root = roots.known(warm.first(from));
        return takenLocked(root, root.take(root.warm, from, level));
    }

    private long takeColdLocked(int from, int level) {
        RootArea root = roots.known(cold.first(from));
        return takenLocked(root, root.take(root.cold, from, level));
    }

    private long takenLocked(RootArea root, int node) {
        long chunk = root.chunk(node);
        ledger.usedBytes += Chunk.bytes(chunk);
        return chunk;
    }

    /** Puts the next root chunk that was never used into use; returns false if there is none. */
    private boolean startRootLocked() {
        RootReservation reservation = roots.withUnstarted();
        boolean committed = !provider.canUncommit();
        if (reservation == null || (committed && !budget.tryCommit(ChunkLevel.ROOT_BYTES))) {
            return false;
        }
        roots.start(reservation, committed, this);
        if (committed) {
            ledger.committed(pages.perRoot(), pages);
        }
        return true;
    }

    /**
     * Takes back a chunk that reads as zero.
     *
     * @param usedBytes how much of it was used, from the front
     */
    void giveLocked(long chunk, long usedBytes) {
        RootArea root = roots.containing(Chunk.address(chunk));
        int node = takenNode(root, chunk);
        int from = pages.containing(RootArea.offset(node));
        int to = pages.from(RootArea.offset(node) + usedBytes);
        if (usedBytes > 0 && root.mask.nextUncommitted(from) < to) {
            throw new AssertionError(
                    "what was used of a chunk must be committed: chunk="
                            + Chunk.describe(chunk)
                            + ", usedBytes="
                            + usedBytes
                            + ", root="
                            + SpaceMap.line(root));
        }
        root.give(node);
        ledger.usedBytes -= Chunk.bytes(chunk);
    }

    /** Doubles a chunk in place; returns {@link Chunk#NONE} if that cannot be. */
    long enlargeLocked(long chunk) {
        RootArea root = roots.containing(Chunk.address(chunk));
        int parent = root.enlarge(takenNode(root, chunk));
        if (parent == 0) {
            return Chunk.NONE;
        }
        ledger.usedBytes += Chunk.bytes(chunk);
        return root.chunk(parent);
    }

    /**
     * Commits the pages of a part of a chunk, as far as they are not; all of them or none.
     *
     * @return 0, or how many bytes it takes when the limit does not allow them
     * @throws OsCallException if the system refuses; then nothing has changed
     */
    long commitLocked(long chunk, long fromOffset, long toOffset) {
        RootArea root = roots.containing(Chunk.address(chunk));
        int node = takenNode(root, chunk);
        int from = pages.containing(RootArea.offset(node) + fromOffset);
        int to = pages.from(RootArea.offset(node) + toOffset);
        long bytes = (to - from - root.mask.committed(from, to)) * pages.bytes();
        if (bytes == 0) {
            return 0;
        }
        if (!budget.tryCommit(bytes)) {
            return bytes;
        }
        try {
            provider.commit(root.address() + from * pages.bytes(), (to - from) * pages.bytes());
        } catch (OsCallException refusal) {
            budget.uncommitted(bytes);
            throw refusal;
        }
        ledger.committed(root.commit(node, from, to), pages);
        return 0;
    }

    private static int takenNode(RootArea root, long chunk) {
        int node = root.node(chunk);
        if (!root.used.get(node) || root.chunk(node) != chunk) {
            throw new AssertionError(
                    "a chunk must be taken, and whole: chunk="
                            + Chunk.describe(chunk)
                            + ", root="
                            + SpaceMap.line(root));
        }
        return node;
    }

    /** How much of a chunk is committed without a gap, from a committed offset on. */
    long committedToLocked(long chunk, long offset) {
        RootArea root = roots.containing(Chunk.address(chunk));
        long start = RootArea.offset(root.node(chunk));
        int page = pages.containing(start + Math.max(0, offset - 1));
        long end = root.mask.nextUncommitted(page) * pages.bytes() - start;
        return Math.clamp(end, 0, Chunk.bytes(chunk));
    }

    /** Claims what can be uncommitted of a root, page by page. */
    void claimLocked(RootArea root, ClaimBatch batch, boolean onlyIdle) {
        batch.begin(root);
        root.claim(batch, onlyIdle);
        for (int i = 0; i < batch.nodeCount(); i++) {
            ledger.claimedBytes += ChunkLevel.bytes(RootArea.level(batch.node(i)));
        }
    }

    /** Takes back what was claimed, of which the first ranges are uncommitted. */
    void returnLocked(RootArea root, ClaimBatch batch, int rangesDone) {
        for (int i = 0; i < rangesDone; i++) {
            ledger.uncommitted(root.uncommit(batch.firstPage(i), batch.endPage(i)), pages);
        }
        for (int i = 0; i < batch.nodeCount(); i++) {
            ledger.claimedBytes -= ChunkLevel.bytes(RootArea.level(batch.node(i)));
            root.give(batch.node(i));
        }
    }

    /**
     * Claims a reservation in which everything is free, so that it can be released.
     *
     * @param onlyIdle leaves it alone if something was not idle
     */
    boolean claimReservationLocked(RootReservation reservation, boolean onlyIdle) {
        for (int i = 0; i < reservation.started(); i++) {
            RootArea root = reservation.root(i);
            if (root == null || !root.claimWhole(onlyIdle)) {
                for (int k = 0; k < i; k++) {
                    giveWholeLocked(reservation.root(k));
                }
                return false;
            }
            ledger.claimedBytes += ChunkLevel.ROOT_BYTES;
        }
        reservation.setLeaving(true);
        return true;
    }

    /** Ends a claim of a whole reservation: it is released, or it stays. */
    void settleReservationLocked(RootReservation reservation, boolean released) {
        for (int i = 0; i < reservation.started(); i++) {
            RootArea root = reservation.root(i);
            if (released && root != null) {
                ledger.claimedBytes -= ChunkLevel.ROOT_BYTES;
                ledger.uncommitted(root.mask.committed(), pages);
            } else {
                giveWholeLocked(root);
            }
        }
        reservation.setLeaving(false);
        if (released) {
            roots.remove(reservation);
            ledger.released(reservation.bytes());
        }
    }

    private void giveWholeLocked(@Nullable RootArea root) {
        if (root != null) {
            ledger.claimedBytes -= ChunkLevel.ROOT_BYTES;
            root.give(RootArea.WHOLE);
        }
    }

    /** Whether there is free memory that could be uncommitted. */
    boolean hasWarmFreeLocked() {
        int deepest = provider.canUncommit() ? pages.level() : ChunkLevel.ROOT;
        return warm.largeEnough(deepest) >= 0;
    }
}
