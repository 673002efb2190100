package io.polder.page.space;

import io.polder.event.CommitEvent;
import io.polder.event.Events;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryProvider;
import io.polder.memory.VirtualSpace;
import io.polder.page.space.Extent.State;
import io.polder.page.space.PageReservation.Kind;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * All granules of a space, and its sums.
 *
 * <pre>{@code
 *   synchronized (state) {
 *       state.recoverIfNeededLocked();
 *       ...
 *   }
 *
 *   committed =  taken + warmFree + isolated
 * }</pre>
 *
 * <p><b>Invariants.</b> The equations above; each sum is what the extents and runs of all
 * reservations add up to, where of what is isolated the part counts that is charged. What is
 * committed here is charged to the budget when the lock is free, no more and no less.
 *
 * <p><b>Errors.</b> Any call and any allocation may end in an error, also in the middle of a
 * change. What decides are the granules and extents of an {@link PageReservation}, the list of
 * reservations, and what was charged; each is stored in place right after what it says has
 * happened. All sums, and the indexes of the reservations, are derived. {@code inTransition} is set
 * before the first store of a change and cleared after the last: a thread that takes the lock and
 * finds it set has everything derived done anew, and refunds what is charged and not counted. The
 * same is done for what somebody {@linkplain Extent abandoned}, who says so with {@link
 * #abandoned}. If that is cut short as well, the next one does it again.
 *
 * <p><b>Locking.</b> Its own monitor guards everything in it, the
 * reservations with their extents included; the JVM gives a monitor back however its block ends. It
 * is the innermost lock of the space: no system call is made and nothing is called under it but the
 * {@link MemoryBudget}'s sums, and {@link MemoryProvider#isWhole}, which is a look. Methods that
 * end in {@code Locked} are called with it held, and after {@link #recoverIfNeededLocked}.
 */
final class PageState extends VirtualSpace<PageReservation> {
    /** How long to wait for what others have isolated; they say when it comes back. */
    private static final long ISOLATED_MILLIS = 1;

    /** How far a page may grow without being moved: guessed. */
    private static final long AHEAD_BYTES = 64L << 20;

    /** So many times its size a page may grow that has grown before: then little is moved twice. */
    private static final int FAR_TIMES = 8;

    /** The part of the process's mappings that pages may cost. */
    private static final int SHARE_OF_MAPPINGS = 4;

    final boolean hugePages;

    /** How many mappings it may cost. */
    final long mappingsMax;

    final Demand demand = new Demand();
    final SlowTakes slowTakes = new SlowTakes();

    /** Whether something may be abandoned: stored after it was. */
    volatile boolean abandoned;

    long taken;
    long warmFree;
    long isolated;
    int isolatedCount;
    int takenCount;

    /** The first granule of the run that was found last. */
    private int foundAt;

    /**
     * The least that was free or isolated since {@link Decay}'s last slice: what is isolated is on
     * its way to be free again. 0 if memory was committed, since what was free did not do.
     */
    final LowMark idleFree = new LowMark();

    /** The least that was free with memory since the last tick of the {@link Defragmenter}. */
    final LowMark idleWarm = new LowMark();

    /**
     * Whether it hands out nothing any more: then nothing becomes taken. Written under the lock,
     * and asked without it.
     */
    volatile boolean shut;

    long assembledOnAllocation;
    long assembledInBackground;
    long movedTotal;

    /** One without addresses; says whether the system is asked for huge pages behind all of it. */
    PageState(MemoryProvider provider, MemoryBudget budget, boolean hugePages) {
        super(provider, budget, new PageReservation[0]);
        this.hugePages = hugePages;
        this.mappingsMax = provider.maxMapCount() / SHARE_OF_MAPPINGS;
    }

    @Override
    public void recoverIfNeededLocked() {
        if (inTransition || abandoned) {
            recoverLocked();
        }
    }

    @Override
    protected long rebuildLocked() {
        abandoned = false;
        for (PageReservation reservation : reserved) {
            reservation.reclaimAbandoned();
        }
        taken = 0;
        takenCount = 0;
        warmFree = 0;
        isolated = 0;
        isolatedCount = 0;
        for (PageReservation reservation : reserved) {
            reservation.rebuild(); // counts as well
        }
        idleFree.fell(freeLocked());
        notifyAll();
        return Granules.bytes(taken + warmFree + isolated);
    }

    /** Frees all that is taken; only while nobody has any of it. */
    void freeTakenLocked() {
        for (PageReservation reservation : reserved) {
            for (Extent extent : reservation.held) {
                if (extent != null) {
                    extent.abandoned |= extent.state == State.TAKEN;
                }
            }
        }
        recoverLocked();
    }

    /** Commits what was charged, and tells of it; the lock is not held. */
    void commit(long address, long bytes) {
        CommitEvent event = Events.commit();
        provider.commit(address, bytes);
        if (event != null) {
            event.finish(budget.poolName, PageSpace.PART, bytes);
        }
    }

    /** Counts what an extent has, or, with -1, counts it no more. */
    void countLocked(Extent extent, int sign) {
        if (extent.state == State.TAKEN) {
            taken += (long) sign * extent.count;
            takenCount += sign;
        } else {
            isolated += (long) sign * extent.charged;
            isolatedCount += extent.state == State.ISOLATED ? sign : 0;
        }
    }

    void checkOpenLocked() {
        if (shut) {
            throw new IllegalStateException(
                    "the pool is closed, and hands out no more pages: name=" + budget.poolName);
        }
    }

    /**
     * Waits for what is isolated, also without memory: until some of it comes back, or a moment.
     * Not for a thread that has isolated something itself.
     *
     * @return whether anything was
     */
    @SuppressWarnings("WaitNotInLoop") // callers look again, whatever ended the wait
    boolean awaitIsolated() {
        boolean interrupted = Thread.interrupted(); // it cannot end what others do
        try {
            synchronized (this) {
                recoverIfNeededLocked();
                boolean any = isolatedCount > 0;
                if (any) {
                    wait(ISOLATED_MILLIS);
                }
                return any;
            }
        } catch (InterruptedException now) {
            interrupted = true;
            return true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    protected PageReservation toReserve(long bytes) {
        byte kind = provider.canUncommit() ? Kind.COLD : Kind.WARM;
        return new PageReservation(this, Math.toIntExact(bytes >> Granules.SHIFT), kind);
    }

    @Override
    protected void addedLocked(PageReservation added, boolean committed) {
        if (committed) {
            idleFree.fell(0);
            warmFree += added.size;
        }
    }

    /** Forgets a reservation that is {@linkplain PageReservation#released released}. */
    void removeReleasedLocked(List<Extent> itsExtents) {
        inTransition = true;
        long charged = 0;
        for (Extent extent : itsExtents) {
            countLocked(extent, -1);
            charged += extent.charged;
        }
        dropReleasedLocked();
        shrinkLocked(charged);
        notifyAll();
        inTransition = false;
    }

    /** Takes a run for a page; returns whether there is one so long, and room for its memory. */
    boolean takeLocked(byte kind, Extent page, int count) {
        PageReservation reservation =
                kind == Kind.WARM ? findLocked(kind, count) : findColdLocked(page, count);
        return reservation != null && takeLocked(foundLocked(reservation, page, count, null));
    }

    /**
     * Makes a page of a part of a run. Memory that the run has not is charged, and counts as if it
     * was there.
     *
     * @param page {@linkplain Extent#prepared prepared} for that
     * @return whether there is room for the memory
     */
    private boolean takeLocked(Extent page) {
        PageReservation reservation = page.reservation();
        boolean warm = !reservation.isCold(page.first);
        inTransition = true;
        if (!warm && !tryCommitLocked(page.bytes())) {
            inTransition = false;
            return false;
        }
        reservation.hold(page, State.TAKEN, page.count);
        if (warm) {
            idleFree.fell(freeLocked());
            idleWarm.fell(warmFree);
        } else {
            committedLocked(page.bytes());
            idleFree.fell(0);
        }
        demand.took(page.count, 1);
        inTransition = false;
        return true;
    }

    /**
     * Prepares an extent for its place in the run found last. Small pages go to the lowest
     * addresses, and others to the highest, but for those that may grow.
     */
    Extent foundLocked(
            PageReservation reservation, Extent part, int count, @Nullable Isolation isolation) {
        int length = reservation.runs[foundAt];
        int from =
                part.grows
                        ? foundAt + placed(length, count, spaceAheadLocked(part, count))
                        : foundAt + (count == 1 ? 0 : length - count);
        return part.prepared(reservation, from, count, isolation);
    }

    /**
     * Where in a run a page is placed that may grow, from its first granule: in the middle of one
     * so long that either half has room to grow, otherwise at its front.
     *
     * @param length of the run
     * @param count of the page
     * @param ahead so many granules must stay together on either side, that of the page included
     */
    static int placed(int length, int count, int ahead) {
        int half = length / 2;
        return half >= Math.max(count, ahead) ? half : 0;
    }

    /**
     * How many addresses must stay together at either side of a page that may grow: a few if others
     * can be reserved, otherwise as many as the largest page takes.
     */
    private int spaceAheadLocked(Extent page, int count) {
        long largest = Math.min(budget.limits.committedMaxBytes(), PageAllocator.LARGEST_BYTES);
        boolean more = budget.reserved.roomBytes() >= largest;
        long far = page.growsFar ? FAR_TIMES * Granules.bytes(count) : 0;
        return Granules.count(more ? Math.min(largest, Math.max(AHEAD_BYTES, far)) : largest);
    }

    /** How long a run is in which a page finds room to grow, if it may. */
    int roomyLocked(Extent page, int count) {
        return page.grows ? 2 * Math.max(count, spaceAheadLocked(page, count)) : count;
    }

    /** Whether a page that grows far would find a run with memory, and room behind it. */
    boolean growsWarmLocked(Extent page, int count) {
        PageReservation reservation = findLocked(Kind.WARM, count);
        if (reservation == null) {
            return false;
        }
        Extent there = foundLocked(reservation, page, count, null);
        return reservation.coldFrom(there.end(), spaceAheadLocked(page, count) - count) >= 0;
    }

    /** Finds addresses for a page: where it may grow, in a run with room for that. */
    private @Nullable PageReservation findColdLocked(Extent page, int count) {
        int roomy = roomyLocked(page, count);
        PageReservation reservation = findLocked(Kind.COLD, roomy);
        return reservation == null && roomy > count ? findLocked(Kind.COLD, count) : reservation;
    }

    /**
     * Takes granules behind a page, from the first on, as many as are of one kind; memory is
     * charged for them, which they may still need.
     *
     * @param more what has them then
     * @param count how many are wanted: so many behind the page are free, and the limit has room
     *     for those of them that are cold, or none is taken
     * @return 0 if some were taken; otherwise how many are cold, or a negative number if not all of
     *     them are free
     */
    int takeBehindLocked(Extent page, Extent more, int count) {
        PageReservation reservation = page.reservation();
        int from = page.end();
        int cold = reservation.coldFrom(from, count);
        if (cold < 0 || cold > budget.committed.roomBytes() >> Granules.SHIFT) {
            return cold;
        }
        int granules = Math.min(count, reservation.runs[from]);
        return takeLocked(more.prepared(reservation, from, granules, null)) ? 0 : cold;
    }

    /** Makes two neighbours one, of which both are taken and have memory; the second is no more. */
    void joinLocked(Extent page, Extent more) {
        inTransition = true;
        page.reservation().join(page, more);
        takenCount--;
        demand.took(more.count, -1);
        inTransition = false;
    }

    /** Finds a run; null if there is none. */
    @Nullable PageReservation findLocked(byte kind, int count) {
        PageReservation[] reservations = reserved;
        if (count == 1) {
            for (PageReservation reservation : reservations) {
                foundAt = reservation.index(kind).all.first();
                if (foundAt != BitTree.NONE) {
                    return reservation;
                }
            }
            return null;
        }
        for (int i = reservations.length - 1; i >= 0; i--) {
            foundAt = reservations[i].index(kind).highestFitting(count);
            if (foundAt != BitTree.NONE) {
                return reservations[i];
            }
        }
        return null;
    }

    /**
     * Takes back a page.
     *
     * @param dirtyBytes how much of it, from its front, is dirty now
     */
    void giveLocked(Extent page, long dirtyBytes) {
        if (page.reservation().owner != this) {
            throw new IllegalArgumentException(
                    "a page must be given to the space it was taken from: page=" + page);
        }
        if (page.state != State.TAKEN) {
            throw new IllegalStateException("a page can be given once: page=" + page);
        }
        PageReservation reservation = page.reservation();
        reservation.dirt.dirtied(page, dirtyBytes);
        inTransition = true;
        reservation.free(page, Kind.WARM);
        inTransition = false;
    }

    private void shrinkLocked(long count) {
        idleFree.fell(freeLocked());
        uncommittedLocked(Granules.bytes(count));
    }

    /**
     * Isolates a part of a run; what is charged of it is what it has memory for.
     *
     * @param part what has it, {@linkplain Extent#prepared prepared} for that
     */
    void isolateLocked(Extent part) {
        PageReservation reservation = part.reservation();
        int charged = reservation.isCold(part.first) ? 0 : part.count;
        inTransition = true;
        reservation.hold(part, State.ISOLATED, charged);
        inTransition = false;
    }

    /**
     * Frees what was isolated, and either has its memory still or was uncommitted; also a page
     * whose memory could not be committed.
     */
    void putBackLocked(Extent extent) {
        boolean warm = extent.warmTo > 0;
        inTransition = true;
        if (extent.renewing) {
            extent.reservation().moved.renewed(extent.first, extent.count);
        }
        if (extent.state == State.TAKEN) {
            demand.took(extent.count, -1);
        }
        extent.reservation().free(extent, warm ? Kind.WARM : Kind.COLD);
        if (!warm) {
            shrinkLocked(extent.charged);
        }
        notifyAll();
        inTransition = false;
    }

    /**
     * Takes out of the space what the operating system has unmapped of some granules and refused to
     * map again, as far as they are cold: what is there may be others'. Each is an extent of its
     * own. The provider decides, and refuses every call on such addresses; so it does not matter
     * that a granule may be cold for a while before somebody has found that it is lost. It is asked
     * of what is cold, with the lock: so nobody releases that meanwhile.
     *
     * @param gone had them; they are free since
     * @return whether something is lost, or others have it by now
     */
    boolean takeOutLost(Extent gone) {
        PageReservation reservation = gone.reservation();
        boolean some = false;
        for (int i = gone.first; i < gone.end(); i++) {
            synchronized (this) {
                recoverIfNeededLocked();
                boolean cold = !reservation.released && reservation.isCold(i);
                boolean whole =
                        cold && provider.isWhole(reservation.address(i), PageSpace.GRANULE_BYTES);
                some |= !whole;
                if (cold && !whole) {
                    Extent lost = new Extent(false).prepared(reservation, i, 1, null);
                    inTransition = true;
                    reservation.hold(lost, State.LOST, 0);
                    inTransition = false;
                }
            }
        }
        return some;
    }

    /** Mappings that the space costs the process, at most. */
    long mappingsLocked() {
        long mappings = reserved.length;
        for (PageReservation reservation : reserved) {
            mappings += reservation.moved.boundaries;
        }
        return mappings;
    }

    /** How much of what is warm and free may not read as zero. */
    long dirtyFreeLocked() {
        long dirty = 0;
        for (PageReservation reservation : reserved) {
            dirty += reservation.dirt.dirtyCount;
        }
        return dirty;
    }

    /** Whether there is free memory that could be given back. */
    boolean hasWasteLocked() {
        if (provider.canUncommit() && warmFree > 0) {
            return true;
        }
        for (PageReservation reservation : reserved) {
            if (reservation.isWhole(Kind.WARM)) {
                return true;
            }
        }
        return false;
    }

    /** What is free with memory behind it, or on its way to be so. */
    long freeLocked() {
        return warmFree + isolated;
    }
}
