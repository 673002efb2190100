package io.polder.chunk;

import io.polder.event.CommitEvent;
import io.polder.event.Events;
import io.polder.memory.MapSink;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.OsCallException;
import io.polder.memory.Zeroing;

import java.util.function.Function;

/**
 * Memory in chunks: taken and given by many owners, split and merged so that what is free fits the
 * next request, and given back to the operating system when nobody needs it.
 *
 * <pre>{@code
 *                      ChunkSpace          the interface; zeroes what is given or committed
 *                      /        \
 *                   Growth       \         root chunks: reserve
 *                      |          \
 *   MemoryBudget -> Uncommitter    |       decay, trim, room under a limit
 *         ^            |          /
 *         +-------- SpaceState ---         take, give, enlarge, commit: the innermost lock
 *                   /        \
 *            RootTable  FreeRoots          by address, by slot | by level
 *                   \        /
 *                    RootArea              one tree of buddies; Bits: where memory is
 * }</pre>
 *
 * <p><b>A chunk</b> is a number, see {@link Chunk}. It belongs to the caller that took it until it
 * is given back. What its owner {@linkplain #commit commits} of it reads as zero then, unless the
 * owner wants it {@linkplain #commitAsIs as it is}, and says so. The caller that gives it says how
 * much of it was written. So nobody reads what another one wrote, and nobody clears what was never
 * written. An owner who clears for himself learns from the {@linkplain Chunk word} of a chunk what
 * he has of it: then he need not commit that, and the lock is taken once.
 *
 * <p><b>Memory.</b> A chunk taken may have memory behind it or not. Before an owner writes to an OS
 * page that the word did not say it calls {@link #commit}, which charges the limit. Free memory
 * stays committed, or <em>warm</em>, until a {@linkplain #decay tick}, a {@linkplain #trim trim},
 * or somebody who needs room under the limit uncommits it; then it is <em>cold</em>. Warm chunks
 * are taken first. Of the memory behind a chunk, its owner has what the word or {@link #commit}
 * said; where there is a limit, or the owner got no word, what else came with it is uncommitted
 * with a tick, or when others need it. After all owners are gone and a trim, used and committed are
 * exactly zero.
 *
 * <p><b>Clearing.</b> Who gives a chunk has it cleared at once, by {@link #give}, or gives it
 * {@link #giveAsIs}: then its OS pages are <em>dirty</em> until somebody who has them cleared
 * commits, or gives, or they are uncommitted. Clearing is by zeroing, whatever the size of the
 * chunk: see {@code bench/run GivingChunks}.
 *
 * <p><b>Where the provider cannot uncommit</b>, root chunks are reserved one by one, count as
 * committed at once, and tick and trim release those that are free as a whole.
 *
 * <p><b>Failure.</b> {@link MemoryExhaustedException} when a limit or the operating system is in
 * the way, and nothing has changed then. Uncommitting that fails leaves memory committed and free.
 *
 * <p><b>Errors.</b> What throws has not happened, whatever is thrown: a chunk was not taken, not
 * enlarged; a chunk that was to be given back still belongs to its owner, who gives it again. But
 * {@link #commit} may have committed and cleared pages of the owner's chunk, and {@link #trim} and
 * {@link #decay} may have given memory back. {@link #close} can be called again.
 *
 * <p><b>Threads.</b> Thread-safe. Order of locks: {@link Growth}, {@link Uncommitter}, {@link
 * SpaceState}. The last one alone is on the usual path, and no system call is made under it. A
 * chunk's owner must not use it in one thread while another gives or enlarges it.
 */
public final class ChunkSpace implements AutoCloseable {
    /**
     * More than this is left to page faults: a thread that commits as much may not write all of it.
     */
    private static final long POPULATE_MAX_BYTES = 64 << 10;

    /**
     * So often room is made for one request; each time, other threads may take it. A thread alone
     * needs one attempt after it: what makes room waits for what others have isolated.
     */
    static final int ATTEMPTS_MAX = 8;

    /** How events call it. */
    static final String PART = "chunks";

    final SpaceState state;
    private final Uncommitter uncommitter;
    private final Growth growth;

    /**
     * A space without memory.
     *
     * @param provider where memory comes from
     * @param budget how much it may have, together with others; the space makes itself one of its
     *     shrinkers
     */
    public ChunkSpace(MemoryProvider provider, MemoryBudget budget) {
        this.state = new SpaceState(provider, budget);
        this.uncommitter = new Uncommitter(state);
        this.growth = new Growth(state, uncommitter);
        budget.add(uncommitter);
    }

    /**
     * Adds somebody who keeps chunks of this space to those who give back what they have free where
     * a limit is in the way.
     */
    public void share(MemoryBudget.Shrinker shrinker) {
        state.budget.add(shrinker);
    }

    /** Whether an address lies in memory that is reserved for chunks. */
    public boolean contains(long address) {
        return state.contains(address);
    }

    /** How messages call the pool. */
    public String poolName() {
        return state.budget.poolName;
    }

    /** How much it may have, together with those it shares its budget with. */
    public MemoryLimits limits() {
        return state.budget.limits;
    }

    /**
     * Takes a chunk. In this order: one with memory at the preferred level, the smallest larger one
     * with memory, the largest smaller one with memory; then without memory, at the preferred level
     * or larger, from a new root chunk if need be, and at last a smaller one.
     *
     * @param preferredLevel the level wanted; larger chunks are split to it
     * @param smallestLevel the level of the smallest chunk that will do, not less than preferred
     * @return the chunk
     * @throws MemoryExhaustedException if there is none
     * @throws IllegalStateException if the space is closed
     */
    public long take(int preferredLevel, int smallestLevel) {
        long chunk = state.take(preferredLevel, smallestLevel, false);
        return chunk != Chunk.NONE ? chunk : growth.take(preferredLevel, smallestLevel);
    }

    /**
     * Takes a chunk as {@link #take} does, if nothing must be reserved for it.
     *
     * @return its word, with what the owner need not {@linkplain #commitAsIs commit} any more;
     *     {@link Chunk#NONE} if there is none
     */
    public long tryTake(int preferredLevel, int smallestLevel) {
        return state.take(preferredLevel, smallestLevel, true);
    }

    /**
     * Commits the OS pages in which a part of a chunk lies, as far as they are not committed. If
     * the limit is in the way, free memory of all who share it is uncommitted to make room. What
     * the owner did not commit before reads as zero when this returns.
     *
     * @param chunk a chunk that the caller owns
     * @param fromOffset where the part begins: up to where the owner has committed it before
     * @param toOffset where it ends; at most the size of the chunk
     * @return how far the chunk is committed without a gap from {@code fromOffset} on, as an
     *     offset; at least {@code toOffset}. Up to there, the owner need not ask again
     * @throws MemoryExhaustedException if the limit does not allow it, or the system refuses; then
     *     nothing has changed
     */
    public long commit(long chunk, long fromOffset, long toOffset) {
        return commit(chunk, fromOffset, toOffset, Chunk.bytes(chunk));
    }

    /**
     * Does the same, for an owner that has no use for all memory that is there.
     *
     * @param mostOffset up to where it takes what memory is behind the part, rounded up to whole OS
     *     pages; not less than {@code toOffset}
     */
    public long commit(long chunk, long fromOffset, long toOffset, long mostOffset) {
        return commit(chunk, fromOffset, toOffset, mostOffset, true);
    }

    /**
     * Does the same, and clears nothing: what is there now, somebody else may have written. The
     * owner must not show it to anybody, and must say how far it is dirty, and how far it has it,
     * when it gives the chunk.
     *
     * @return how far the chunk is committed, and is alike, as an offset: with {@link Chunk#DIRTY}
     *     if that may not read as zero. It may be less than {@code toOffset}, if what is behind it
     *     is not alike
     */
    public long commitAsIs(long chunk, long fromOffset, long toOffset) {
        return commit(chunk, fromOffset, toOffset, Chunk.bytes(chunk), false);
    }

    /** Clears dirty pages that the caller owns, and nobody uncommits. */
    private void clear(long chunk, long fromOffset, long toOffset) {
        long from = fromOffset;
        long to = fromOffset;
        while (true) {
            synchronized (state) {
                state.recoverIfNeededLocked();
                state.zeroedLocked(chunk, from, to);
                from = state.nextDirtyLocked(chunk, to, true);
                to = Math.min(state.nextDirtyLocked(chunk, from, false), toOffset);
            }
            if (from >= toOffset) {
                return;
            }
            Zeroing.zeroExactly(Chunk.address(chunk) + from, to - from);
        }
    }

    private long commit(
            long chunk, long fromOffset, long toOffset, long mostOffset, boolean clears) {
        long dirtyToOffset = clears ? toOffset : mostOffset;
        CommitEvent event = Events.commit();
        long fresh;
        long end;
        boolean dirty;
        for (int left = ATTEMPTS_MAX; ; left--) {
            boolean inFlight;
            synchronized (state) {
                state.recoverIfNeededLocked();
                inFlight = state.isOwnersMemoryInFlightLocked(chunk);
                long before = state.committedTotalBytes;
                end =
                        inFlight
                                ? 0
                                : state.commitLocked(
                                        chunk, fromOffset, toOffset, mostOffset, dirtyToOffset);
                fresh = state.committedTotalBytes - before;
                long dirtyFrom = end > 0 ? state.nextDirtyLocked(chunk, fromOffset, true) : end;
                dirty = dirtyFrom < end;
                if (dirty && !clears) {
                    dirty = dirtyFrom == fromOffset;
                    long alike =
                            dirty ? state.nextDirtyLocked(chunk, fromOffset, false) : dirtyFrom;
                    end = Math.min(end, alike); // what is behind may be unclaimed
                }
            }
            if (inFlight) {
                uncommitter.awaitIsolated();
                left++;
                continue;
            }
            if (end >= 0) {
                break;
            }
            if (left == 0 || !state.budget.committed.makeRoom(-end)) {
                throw state.budget.committed.exhausted(-end);
            }
        }
        if (fresh > state.pages.bytes() && toOffset - fromOffset <= POPULATE_MAX_BYTES) {
            populate(chunk, fromOffset, toOffset);
        }
        if (event != null) {
            event.finish(state.budget.poolName, PART, fresh);
        }
        if (dirty && clears) {
            clear(chunk, fromOffset, end);
        }
        return dirty && !clears ? end | Chunk.DIRTY : end;
    }

    /**
     * Puts memory behind several pages by one call, which costs two thirds of their page faults.
     * Where that fails, the faults will do it.
     */
    private void populate(long chunk, long fromOffset, long toOffset) {
        long pageBytes = state.pages.bytes();
        long from = (Chunk.address(chunk) + fromOffset + pageBytes - 1) & -pageBytes;
        long to = (Chunk.address(chunk) + toOffset) & -pageBytes;
        if (from < to && state.provider.canUncommit()) {
            try {
                state.provider.populate(from, to - from);
            } catch (OsCallException refusal) {
                state.refused(refusal);
            }
        }
    }

    /**
     * Doubles a chunk in place, if it is the leader of its buddy and that is free as a whole. What
     * is in it stays.
     *
     * @return the enlarged chunk, which replaces the one given, in a word that says what the owner
     *     has of the added half; {@link Chunk#NONE} if it cannot be
     */
    public long enlarge(long chunk) {
        synchronized (state) {
            state.recoverIfNeededLocked();
            return state.enlargeLocked(chunk);
        }
    }

    /**
     * Gives a chunk back. What was used of it is zeroed; no system call is made. If anything is
     * thrown, the chunk still belongs to the caller, and some of what was used may be zero.
     *
     * @param chunk a chunk that the caller owns, and no longer does after this
     * @param usedBytes how much of it, from its front, may not be zero; must be committed
     */
    public void give(long chunk, long usedBytes) {
        if (usedBytes < 0 || usedBytes > Chunk.bytes(chunk)) {
            throw new IllegalArgumentException(
                    "0 <= usedBytes <= size: usedBytes="
                            + usedBytes
                            + ", size="
                            + Chunk.bytes(chunk));
        }
        Zeroing.zero(Chunk.address(chunk), usedBytes);
        give(chunk, usedBytes, usedBytes, false, false);
    }

    /**
     * Does the same, and clears nothing if the chunk has OS pages of its own: the next owner will.
     *
     * @param dirtyBytes how much of it, from its front, may not be zero, including what the owner
     *     committed {@linkplain #commitAsIs as it is}; as far as it is committed
     * @param committedBytes up to where the owner has it, from its front; not less. What is not
     *     dirty of that reads as zero
     * @param idle whether nobody has used the chunk since the last tick; then the next one
     *     uncommits it
     */
    public void giveAsIs(long chunk, long dirtyBytes, long committedBytes, boolean idle) {
        if (Chunk.level(chunk) > state.pages.level()) {
            give(chunk, dirtyBytes);
            return;
        }
        give(chunk, dirtyBytes, committedBytes, true, idle);
    }

    private void give(
            long chunk, long usedBytes, long committedBytes, boolean dirty, boolean idle) {
        while (true) {
            synchronized (state) {
                state.recoverIfNeededLocked();
                if (!state.isOwnersMemoryInFlightLocked(chunk)) {
                    state.giveLocked(chunk, usedBytes, committedBytes, dirty, idle);
                    return;
                }
            }
            uncommitter.awaitIsolated();
        }
    }

    /**
     * Says that the owner of a chunk does without its memory from an offset on, for now: with a
     * tick, a trim, or where a limit is in the way of anybody, it is uncommitted. The owner must
     * not touch it before it commits it again, and finds zeros there or what it left.
     *
     * @param chunk a chunk that the caller owns
     * @param fromOffset where that begins, rounded up to whole OS pages
     */
    public void disclaim(long chunk, long fromOffset) {
        synchronized (state) {
            state.recoverIfNeededLocked();
            state.disclaimLocked(chunk, fromOffset);
        }
    }

    /** Whether what is reserved, and not committed, neither takes memory nor counts in a limit. */
    public boolean hasFreeAddresses() {
        return state.provider.canUncommit()
                && state.provider.reservableAheadBytes() == Long.MAX_VALUE
                && limits().reservedMaxBytes() >= MemoryLimits.ADDRESS_SPACE_BYTES;
    }

    /** Whether owners may have more than they need: little of what the limits allow is in use. */
    public boolean isAmple() {
        synchronized (state) {
            return state.isAmpleLocked();
        }
    }

    /** Uncommits all free memory in whole OS pages, at once; returns how many bytes. */
    public long trim() {
        return uncommitter.uncommitFree(Long.MAX_VALUE);
    }

    /** How much was given back to the system so far. */
    public long uncommittedTotalBytes() {
        return state.uncommittedTotal();
    }

    /**
     * A tick: uncommits the free memory that was free at the last tick and was not taken since, or
     * was given as idle, and what owners did not ask for or {@linkplain #disclaim disclaimed}. So
     * free memory stays committed for one to two times the time between ticks.
     *
     * @return how many bytes
     */
    public long decay() {
        return uncommitter.decay();
    }

    /** Does what it does as a shrinker of the budget, for others who gave it chunks as such. */
    public long uncommitFree(long wantedBytes) {
        return uncommitter.uncommitFree(wantedBytes);
    }

    /**
     * Releases reservations in which everything is free.
     *
     * @param wantedBytes at least that much, if there is
     * @return how many bytes of address space
     */
    public long releaseFree(long wantedBytes) {
        return uncommitter.releaseFree(wantedBytes);
    }

    /** Whether that many bytes may be the JDK's memory where there is none here. */
    public boolean leavesToJdk(long bytes) {
        return state.provider.leavesToJdk(bytes);
    }

    /**
     * Whether there is memory that a trim would uncommit, free or not {@linkplain #disclaim
     * claimed}; if not, ticks can stop.
     */
    public boolean hasWarmFree() {
        synchronized (state) {
            state.recoverIfNeededLocked();
            boolean byPages = state.provider.canUncommit();
            return state.warm.largeEnough(byPages ? state.pages.level() : ChunkLevel.ROOT) >= 0
                    || (byPages && state.roots.hasUnclaimed());
        }
    }

    /**
     * What the space has at this moment, in one consistent view. Waits until nothing is being
     * uncommitted, so what is free counts as free.
     */
    public ChunkStatistics statistics() {
        return standingStill(statistics -> statistics);
    }

    /**
     * Says what the space has while it stands still: until the function returns, the space neither
     * gets memory nor gives any back. So what the function learns of others that share the budget
     * is of the same moment, and all together stays within the limits.
     *
     * @param view is told; runs with the locks of the space held, so it must be short, make no room
     *     under the budget, and take no lock that is held by the thread that does
     * @return what the function returns
     */
    public <T> T standingStill(Function<ChunkStatistics, T> view) {
        synchronized (uncommitter) {
            synchronized (state) {
                state.recoverIfNeededLocked();
                return view.apply(ChunkStatistics.ofLocked(state));
            }
        }
    }

    /** Tells of its chunks: an area for each root chunk, and for those not used yet. */
    public void map(MapSink sink) {
        synchronized (state) {
            state.recoverIfNeededLocked();
            for (RootReservation reservation : state.reserved) {
                reservation.map(sink, !state.provider.canUncommit());
            }
        }
    }

    /**
     * Releases all memory. Nothing can be taken afterwards.
     *
     * @throws IllegalStateException if something is taken, and then the space stays open; or if the
     *     system refuses to release something, and closing can be tried again
     */
    @Override
    public void close() {
        close(0);
    }

    /**
     * Does so where errors lost some chunks: nobody has them, and nobody can give them back.
     *
     * @param lostBytes the capacity of these chunks, and of no others
     */
    public void close(long lostBytes) {
        synchronized (growth.reserving) {
            synchronized (uncommitter) { // nothing is isolated
                synchronized (state) {
                    state.closeLocked(lostBytes);
                }
            }
            uncommitter.releaseFree(Long.MAX_VALUE);
            synchronized (state) {
                state.recoverIfNeededLocked();
                state.checkReleasedLocked();
            }
        }
    }
}
