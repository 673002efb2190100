package io.polder.chunk;

import io.polder.chunk.Uncommitter.What;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Message;
import io.polder.memory.OsCallException;
import io.polder.memory.VirtualSpace;

/**
 * All that a space knows, and the operations on it that take no more than a moment.
 *
 * <p><b>Locking.</b> The monitor of the {@link VirtualSpace} guards everything in it: the {@link
 * RootTable} with every {@link RootArea}, and the {@link FreeRoots}. It is the innermost lock of
 * the space. Methods that end in {@code Locked} are called with it held. Under it, nothing
 * reserves, releases, uncommits or writes to payload but to one page, see {@link RootArea#carve};
 * {@link MemoryProvider#commit} is called under it, since nobody else may see a page as committed
 * before that has succeeded, and with both providers it is only a check.
 *
 * <p><b>Failure.</b> Any call may be cut short: by a {@link StackOverflowError} at its entry, by an
 * {@link OutOfMemoryError} where it makes an object. So one store decides about every change, and
 * after it come stores and returns alone, which cannot fail. The truth is
 *
 * <ul>
 *   <li>in each root, the used nodes, the committed and the dirty pages; and which roots there are;
 *   <li>what is in flight, for a system call: {@code isolated}, {@code coming}, and reservations
 *       that are being released, whose roots are in no list;
 *   <li>in the {@link VirtualSpace}, what the budget was charged with.
 * </ul>
 *
 * <p>Everything else follows from that. {@code inTransition} is set before the first store of a
 * change, and cleared after the last; a thread that takes the lock and finds it set {@linkplain
 * #recoverLocked makes anew} what follows. A change that was cut short before its decision has not
 * happened then.
 *
 * <p><b>Providers that cannot uncommit</b> have memory behind a reservation at once. Their roots
 * are reserved one at a time, count as committed as a whole, and are released as a whole.
 */
final class SpaceState extends VirtualSpace<RootReservation> {
    /**
     * Owners may hold at most this part of a limit without having asked for it. Guessed: a pool
     * that uses less than that of its limit is as fast as one without.
     */
    private static final int UNASKED_SHARE = 16;

    final OsPages pages;
    final FreeRoots warm = new FreeRoots();
    final FreeRoots cold = new FreeRoots();
    final RootTable roots = new RootTable(this);

    /** What the {@link Uncommitter} has isolated to uncommit it. */
    final IsolatedChunks isolated;

    /** Of a recovery: what is in used nodes of the root that is rebuilt. */
    private final Bits occupied = new Bits(RootArea.UNITS);

    /** Capacity of the chunks that have an owner. */
    long usedBytes;

    /** Whether {@link ChunkSpace#close} was called: nothing can be taken any more. */
    boolean closed;

    SpaceState(MemoryProvider provider, MemoryBudget budget) {
        super(provider, budget, new RootReservation[0]);
        this.pages = OsPages.of(provider.osPageSize());
        this.isolated = new IsolatedChunks(pages);
    }

    @Override
    protected RootReservation toReserve(long bytes) {
        return new RootReservation(bytes);
    }

    /** Its roots are put into use one by one. */
    @Override
    protected void addedLocked(RootReservation added, boolean committed) {}

    /** Takes some microseconds for each root chunk, and makes no object. */
    @Override
    protected long rebuildLocked() {
        endIsolationLocked();
        warm.clear();
        cold.clear();
        roots.reindex();
        long used = 0;
        long committedPages = 0;
        for (RootReservation reservation : reserved) {
            for (int i = 0; i < reservation.started; i++) {
                RootArea root = reservation.root(i);
                root.rebuild(occupied);
                if (reservation.inFlight) {
                    root.isolateWhole();
                }
                used += root.usedBytes();
                committedPages += root.committed.count();
            }
        }
        usedBytes = used - isolatedBytesLocked();
        return provider.canUncommit() ? committedPages * pages.bytes() : sumLocked();
    }

    /** Gives back what a pass has isolated, of which it uncommitted some, unless it is at it. */
    private void endIsolationLocked() {
        RootArea root = isolated.root;
        if (root == null || isolated.inFlight) {
            return;
        }
        int _ = isolated.uncommit(root);
        for (int i = 0; i < isolated.nodeCount; i++) {
            root.used.clear(isolated.nodes[i]);
        }
        isolated.root = null;
    }

    /** Hands out nothing any more, and frees what errors lost; only while nothing is isolated. */
    void closeLocked(long lostBytes) {
        recoverIfNeededLocked();
        if (usedBytes > lostBytes) {
            throw new IllegalStateException(
                    Message.of(
                            "everything must be given back before the space is closed:"
                                    + " usedBytes=%, lostBytes=%",
                            usedBytes, lostBytes));
        }
        closed = true;
        if (usedBytes > 0) {
            inTransition = true;
            for (RootArea root : roots.bySlot) {
                if (root != null) {
                    root.used.clear();
                }
            }
            recoverLocked();
        }
    }

    void checkOpenLocked() {
        if (closed) {
            throw new IllegalStateException("the space is closed");
        }
    }

    /** Takes a chunk as {@link #takeLocked} does. */
    synchronized long take(int preferred, int smallest, boolean claims) {
        recoverIfNeededLocked();
        checkOpenLocked();
        return takeLocked(preferred, smallest, claims);
    }

    /**
     * Takes a chunk without reserving anything: warm before cold, larger before smaller, a chunk
     * without memory before a smaller one without memory.
     *
     * @param claims whether its owner reads what the word says of memory; otherwise it has none
     * @return its word, see {@link Chunk}; {@link Chunk#NONE} if there is neither a chunk nor a
     *     root to start
     */
    long takeLocked(int preferred, int smallest, boolean claims) {
        int level = warm.largeEnough(preferred);
        if (level < 0) {
            level = warm.smaller(preferred, smallest);
        }
        if (level >= 0) {
            return takeLocked(warm, level, Math.max(level, preferred), claims);
        }
        level = cold.largeEnough(preferred);
        if (level < 0 && startRootLocked()) {
            return takeLocked(preferred, smallest, claims);
        }
        return level < 0 ? Chunk.NONE : takeLocked(cold, level, preferred, claims);
    }

    /** Takes the largest free chunk without memory that is smaller than preferred. */
    long takeSmallerLocked(int preferred, int smallest) {
        int level = cold.smaller(preferred, smallest);
        return level < 0 ? Chunk.NONE : takeLocked(cold, level, level, false);
    }

    /** Takes a chunk of one kind, of which there is one of a level; splits it if it is larger. */
    private long takeLocked(FreeRoots kind, int from, int level, boolean claims) {
        RootArea root = roots.known(kind.first(from));
        long bytes = ChunkLevel.bytes(level);
        inTransition = true;
        int node = root.carve(kind == warm ? root.warm : root.cold, from, level);
        long chunk = root.chunk(node);
        if (claims && claimsAllLocked()) {
            chunk |= root.memory(node);
        } else {
            root.unclaim(node, 0);
        }
        root.used.set(node); // decides, and after it nothing is called
        usedBytes += bytes;
        inTransition = false;
        return chunk;
    }

    /**
     * Whether an owner has all memory that is behind its chunk already, asked for or not: that
     * saves it to ask. Where there is a limit, only as long as little is committed at all: so what
     * owners hold and never asked for is little as well.
     */
    boolean claimsAllLocked() {
        long max = budget.limits.committedMaxBytes();
        return max >= MemoryLimits.ADDRESS_SPACE_BYTES
                || budget.committed.bytes() <= max / UNASKED_SHARE;
    }

    /** The same of memory and of addresses. */
    boolean isAmpleLocked() {
        long max = budget.limits.reservedMaxBytes();
        return claimsAllLocked()
                && (max >= MemoryLimits.ADDRESS_SPACE_BYTES || usedBytes <= max / UNASKED_SHARE);
    }

    /** Puts the next root chunk that was never used into use; returns false if there is none. */
    private boolean startRootLocked() {
        RootReservation reservation = roots.withUnstarted();
        if (reservation == null) {
            return false;
        }
        int slot = roots.ensureSlot();
        warm.ensure(slot);
        cold.ensure(slot);
        boolean comesCommitted = !provider.canUncommit();
        RootArea root = new RootArea(reservation.nextAddress(), slot, comesCommitted, this);
        inTransition = true;
        reservation.start(root); // decides
        roots.list(root);
        root.putFree(RootArea.WHOLE);
        inTransition = false;
        return true;
    }

    /**
     * Takes back a chunk.
     *
     * @param writtenBytes how much of it was used, from the front
     * @param committedBytes up to where the owner has it; what it does not call dirty is clean
     * @param dirty whether that may not read as zero, as far as it is committed; only of a chunk of
     *     whole OS pages. Otherwise all of it must be committed
     * @param idle whether nobody has used it since the last tick; only of such a chunk
     */
    void giveLocked(
            long chunk, long writtenBytes, long committedBytes, boolean dirty, boolean idle) {
        RootArea root = roots.containing(Chunk.address(chunk));
        int node = takenNode(root, chunk);
        int from = pages.containing(RootArea.offset(node));
        int to = pages.from(RootArea.offset(node) + writtenBytes);
        if (!dirty && writtenBytes > 0 && root.committed.nextClear(from) < to) {
            throw new AssertionError(
                    Message.of(
                            "what was used of a chunk must be committed: chunk=%, usedBytes=%,"
                                    + " root=%",
                            Chunk.describe(chunk), writtenBytes, root));
        }
        if (dirty) {
            root.dirty.add(root.committed, from, to); // first; of a used chunk it says nothing
            root.dirty.clear(to, pages.from(RootArea.offset(node) + committedBytes));
        }
        long bytes = Chunk.bytes(chunk);
        inTransition = true;
        root.free(node);
        if (idle) {
            root.idle.add(root.committed, root.firstPage(node), root.endPage(node));
        }
        root.used.clear(node); // decides
        usedBytes -= bytes;
        inTransition = false;
    }

    /** Doubles a chunk in place, as {@link ChunkSpace#enlarge} does. */
    long enlargeLocked(long chunk) {
        RootArea root = roots.containing(Chunk.address(chunk));
        int node = takenNode(root, chunk);
        if (!root.canEnlarge(node)) {
            return Chunk.NONE;
        }
        long added = Chunk.bytes(chunk);
        long enlarged = root.chunk(node >> 1);
        inTransition = true;
        root.join(node);
        if (claimsAllLocked()) {
            enlarged |= root.memory(node + 1);
        } else {
            root.unclaim(node + 1, 0);
        }
        root.used.replace(node, node >> 1); // decides
        usedBytes += added;
        inTransition = false;
        return enlarged;
    }

    /**
     * Commits the pages of a part of a chunk, as far as they are not; all of them or none.
     *
     * @param mostOffset up to which offset the owner has what is committed behind the part; not
     *     less than {@code toOffset}
     * @param dirtyToOffset the same of dirty pages
     * @return how far the chunk is committed without a gap then, as an offset; or, below zero, how
     *     many bytes it takes when the limit does not allow them
     * @throws MemoryExhaustedException if the system refuses; then nothing has changed
     */
    long commitLocked(
            long chunk, long fromOffset, long toOffset, long mostOffset, long dirtyToOffset) {
        RootArea root = roots.containing(Chunk.address(chunk));
        int node = takenNode(root, chunk);
        long start = RootArea.offset(node);
        int from = pages.containing(start + fromOffset);
        int to = pages.from(start + toOffset);
        long bytes = (to - from - root.committed.count(from, to)) * pages.bytes();
        int most = pages.from(start + mostOffset);
        int claimed = root.nextUnclaimed(to, most, claimsAllLocked());
        claimed = Math.min(claimed, root.dirty.next(pages.from(start + dirtyToOffset)));
        long end = Math.clamp(claimed * pages.bytes() - start, 0, Chunk.bytes(chunk));
        if (bytes == 0) {
            root.unclaimed.clear(from, claimed);
            return end;
        }
        inTransition = true;
        if (!tryCommitLocked(bytes)) {
            inTransition = false;
            return -bytes;
        }
        try {
            provider.commit(root.address + from * pages.bytes(), (to - from) * pages.bytes());
        } catch (OsCallException refusal) {
            refundLocked();
            inTransition = false;
            refusedLocked(refusal);
            throw MemoryExhaustedException.refused(refusal);
        }
        root.beforeCommit(node, from);
        root.unclaimed.clear(from, claimed);
        root.committed.set(from, to); // decides
        committedBytes += bytes;
        committedTotalBytes += bytes;
        inTransition = false;
        return end;
    }

    /** Where memory is dirty next, or clean, in a taken chunk from an offset on; else its end. */
    long nextDirtyLocked(long chunk, long offset, boolean dirty) {
        RootArea root = roots.containing(Chunk.address(chunk));
        long start = RootArea.offset(takenNode(root, chunk));
        int from = pages.containing(start + offset);
        long page = dirty ? root.dirty.next(from) : root.dirty.nextClear(from);
        return Math.clamp(page * pages.bytes() - start, offset, Chunk.bytes(chunk));
    }

    /** Says that whole pages of a taken chunk read as zero. */
    void zeroedLocked(long chunk, long fromOffset, long toOffset) {
        RootArea root = roots.containing(Chunk.address(chunk));
        long start = RootArea.offset(takenNode(root, chunk));
        root.dirty.clear(pages.from(start + fromOffset), pages.from(start + toOffset));
    }

    /** Says that the owner of a chunk does without its memory from an offset on. */
    void disclaimLocked(long chunk, long fromOffset) {
        RootArea root = roots.containing(Chunk.address(chunk));
        root.unclaim(takenNode(root, chunk), fromOffset);
    }

    private static int takenNode(RootArea root, long chunk) {
        int node = root.node(chunk);
        if (!root.used.get(node) || root.chunk(node) != chunk) {
            throw new AssertionError(
                    Message.of(
                            "a chunk must be taken, and whole: chunk=%, root=%",
                            Chunk.describe(chunk), root));
        }
        return node;
    }

    /**
     * Isolates what can be uncommitted of a root, page by page; it is in flight then.
     *
     * @return whether there is anything
     */
    boolean isolateLocked(RootArea root, What what) {
        inTransition = true;
        isolated.begin(root, what == What.UNCLAIMED);
        if (isolated.ofOwners) {
            boolean _ = isolated.addPages(root.unclaimed, 0, pages.perRoot());
        } else {
            root.isolate(isolated, what == What.IDLE);
        }
        if (isolated.rangeCount == 0) {
            isolated.root = null;
            inTransition = false;
            return false;
        }
        isolated.inFlight = true; // decides
        inTransition = false;
        return true;
    }

    /** Whether memory of a chunk is in flight, for which its owner might ask, or give it. */
    boolean isOwnersMemoryInFlightLocked(long chunk) {
        return isolated.root != null
                && isolated.ofOwners
                && isolated.inFlight
                && isolated.hasPagesIn(chunk);
    }

    /**
     * Takes back what was isolated, of which the first ranges are uncommitted; it is in flight
     * no longer, and {@code inTransition} is set.
     *
     * @param intact whether it was not set before
     * @return how many bytes are uncommitted; 0 where an error has met it
     */
    long putBackLocked(boolean intact) {
        RootArea root = isolated.root;
        if (!intact || root == null) {
            recoverLocked();
            return 0;
        }
        long bytes = isolated.uncommit(root) * pages.bytes();
        uncommittedLocked(bytes);
        for (int i = 0; i < isolated.nodeCount; i++) {
            root.free(isolated.nodes[i]);
            root.used.clear(isolated.nodes[i]);
        }
        isolated.root = null; // decides
        inTransition = false;
        return bytes;
    }

    /**
     * Isolates a reservation in which everything is free, so that it can be released; it is in
     * flight then.
     *
     * @param onlyIdle leaves it alone if something was not idle
     */
    boolean isolateReservationLocked(RootReservation reservation, boolean onlyIdle) {
        inTransition = true; // what was not idle is, from now on
        boolean can = containingLocked(reservation.address()) == reservation;
        for (int i = 0; can && i < reservation.started; i++) {
            can = reservation.root(i).canIsolateWhole(onlyIdle);
        }
        if (!can) {
            inTransition = false;
            return false;
        }
        for (int i = 0; i < reservation.started; i++) {
            reservation.root(i).isolateWhole();
        }
        reservation.inFlight = true; // decides
        inTransition = false;
        return true;
    }

    /**
     * Ends the isolation of a whole reservation: it is released, or it stays. It is in flight no
     * longer, and {@code inTransition} is set.
     *
     * @param intact whether it was not set before
     */
    void endLeavingLocked(RootReservation reservation, boolean intact) {
        if (!intact) {
            recoverLocked();
            return;
        }
        long committedPages = 0;
        for (int i = 0; i < reservation.started; i++) {
            RootArea root = reservation.root(i);
            committedPages += root.committed.count();
            if (!reservation.released) {
                root.putFree(RootArea.WHOLE);
            }
        }
        if (reservation.released) {
            dropReleasedLocked();
            roots.reindex();
            uncommittedLocked(
                    provider.canUncommit() ? committedPages * pages.bytes() : reservation.bytes());
        }
        inTransition = false;
    }

    /** Capacity of the free chunks that the {@link Uncommitter} has isolated to uncommit them. */
    long isolatedBytesLocked() {
        return isolated.root == null ? 0 : isolated.nodeBytes();
    }
}
