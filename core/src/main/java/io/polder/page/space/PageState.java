package io.polder.page.space;

import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryProvider;
import io.polder.memory.OsCallException;
import io.polder.page.space.Area.Kind;
import io.polder.page.space.Extent.State;

import org.jspecify.annotations.Nullable;

/**
 * All granules of a space, and its sums.
 *
 * <pre>{@code
 *   synchronized (state.lock()) {
 *       state.settleLocked();
 *       ...
 *   }
 *
 *   reserved  =  committed + cold                       sums of granules
 *   committed =  taken + warmFree + claimed
 * }</pre>
 *
 * <p><b>Invariants.</b> The equations above; each sum is what the extents and runs of all areas add
 * up to, where of what is claimed the part counts that is charged; {@code seams} is the sum of
 * those of the areas. What is committed here is charged to the budget when the lock is free, no
 * more and no less.
 *
 * <p><b>Errors.</b> Any call and any allocation may end in an error, also in the middle of a
 * change. What decides are the granules and extents of an {@link Area}, the list of areas, and what
 * was charged; each is stored in place right after what it says has happened. All sums, and the
 * indexes of the areas, are derived. {@code changing} is set before the first store of a change and
 * cleared after the last: whoever takes the lock and finds it set has everything derived done anew,
 * and refunds what is charged and not counted. The same is done for what somebody {@linkplain
 * Extent left behind}, who says so with {@link #unsettled}. If that is cut off as well, the next
 * one does it again.
 *
 * <p><b>Locking.</b> The monitor that {@link #lock} returns guards everything in it, the areas with
 * their extents included; the JVM gives a monitor back however its block ends. It is the innermost
 * lock of the space: no system call is made and nothing is called under it but the {@link
 * MemoryBudget}'s sums. Methods that end in {@code Locked} are called with it held, and after
 * {@link #settleLocked}.
 */
final class PageState {
    /** How long to wait for what others have in hand; they say when it comes back. */
    private static final long CLAIM_NANOS = 1_000_000;

    private final Object lock = new Object();
    final MemoryProvider provider;
    final MemoryBudget budget;
    final Demand demand = new Demand();

    /** Reservations, by address. Decides. */
    private Area[] areas = {};

    /** How many granules are charged to the budget as committed. Decides. */
    private long charged;

    /** How many bytes were released and are to be refunded. Decides. */
    private long toRefundBytes;

    /** Whether a change is under way, or was cut off. */
    private boolean changing;

    /** Whether somebody has left something behind: stored after that was. */
    volatile boolean unsettled;

    /** Whether somebody was not woken although memory came free. */
    volatile boolean owesWake;

    private long reserved;
    private long committed;
    private long taken;
    private long warmFree;
    private long claimed;
    private int takenCount;
    private long seams;

    /** The first granule of the run that was found last. */
    private int foundAt;

    /** The least that was free with memory behind it since {@link #resetLowWaterLocked}. */
    private long lowWater;

    /** Whether memory was committed since then. */
    private boolean grown;

    private boolean shut;

    long committedTotal;
    long uncommittedTotal;
    long assembledOnAllocation;
    long assembledInBackground;
    long movedTotal;
    long refusals;
    @Nullable OsCallException lastRefusal;

    PageState(MemoryProvider provider, MemoryBudget budget) {
        this.provider = provider;
        this.budget = budget;
    }

    /** The monitor to synchronize on. */
    Object lock() {
        return lock;
    }

    /** Finishes what others began or left behind. To be called first under the lock. */
    void settleLocked() {
        if (changing || unsettled) {
            recoverLocked();
        }
    }

    private void recoverLocked() {
        changing = true;
        unsettled = false;
        dropReleasedLocked();
        for (Area area : areas) {
            area.settleLeft();
        }
        for (Area area : areas) {
            area.rebuild();
        }
        sumLocked();
        lowWater = Math.min(lowWater, warmFree + claimed);
        refundLocked();
        owesWake = true;
        lock.notifyAll();
        changing = false;
    }

    private void sumLocked() {
        Sums sums = new Sums(areas);
        reserved = sums.reserved;
        taken = sums.taken;
        takenCount = sums.takenCount;
        warmFree = sums.warmFree;
        claimed = sums.claimed;
        seams = sums.seams;
        committed = taken + warmFree + claimed;
        uncommittedTotal = committedTotal - committed;
    }

    /** What the extents and runs of areas add up to. */
    static final class Sums {
        private long reserved;
        private long taken;
        private long warmFree;
        private long claimed;
        private int takenCount;
        private long seams;

        Sums(Area[] areas) {
            for (Area area : areas) {
                reserved += area.size();
                seams += area.seams();
                area.addTo(this);
            }
        }

        void add(Extent extent) {
            if (extent.state == State.TAKEN) {
                taken += extent.count;
                takenCount++;
            } else {
                claimed += extent.charged;
            }
        }

        void addWarm(int count) {
            warmFree += count;
        }
    }

    /** Refunds what is charged and not counted any more. */
    private void refundLocked() {
        long over = charged - committed;
        if (over > 0) {
            budget.uncommitted(Granules.bytes(over));
            charged -= over;
        }
        if (toRefundBytes > 0) {
            budget.released(toRefundBytes);
            toRefundBytes = 0;
        }
    }

    void checkOpenLocked() {
        if (shut) {
            throw closed();
        }
    }

    static IllegalStateException closed() {
        return new IllegalStateException("the pool is closed, and hands out no more pages");
    }

    void shutLocked() {
        shut = true;
    }

    boolean isShutLocked() {
        return shut;
    }

    /** By address; not to be changed. */
    Area[] areasLocked() {
        return areas;
    }

    /**
     * Waits for what is in hand: until some of it comes back, or a moment. Not for who has
     * something in hand himself.
     *
     * @return whether anything was
     */
    boolean awaitClaims() {
        synchronized (lock) {
            settleLocked();
            long before = claimed;
            long until = System.nanoTime() + CLAIM_NANOS;
            try {
                long left = CLAIM_NANOS;
                while (claimed > 0 && claimed == before && left > 0) {
                    lock.wait(left / 1_000_000, (int) (left % 1_000_000));
                    settleLocked();
                    left = until - System.nanoTime();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return before > 0;
        }
    }

    /** The areas with one more, which {@link #addLocked} stores. */
    Area[] areasWithLocked(Area area) {
        Area[] more = new Area[areas.length + 1];
        int at = 0;
        while (at < areas.length && areas[at].address() < area.address()) {
            more[at] = areas[at];
            at++;
        }
        more[at] = area;
        for (; at < areas.length; at++) {
            more[at + 1] = areas[at];
        }
        return more;
    }

    /**
     * Adds a reservation of which nothing is taken. Its charges are the state's as soon as {@link
     * Area#added} says so.
     *
     * @param more what {@link #areasWithLocked} returned for it
     * @param granulesCharged as committed, all of it or nothing
     */
    void addLocked(Area area, Area[] more, long granulesCharged) {
        changing = true;
        areas = more;
        charged += granulesCharged;
        committedTotal += granulesCharged;
        area.added = true;
        grown |= granulesCharged > 0;
        reserved += area.size();
        committed += granulesCharged;
        warmFree += granulesCharged;
        seams += area.seams();
        changing = false;
    }

    /** Ends the claim of reservations that are {@linkplain Area#released released}, and refunds. */
    void removeReleasedLocked() {
        changing = true;
        dropReleasedLocked();
        sumLocked();
        lowWaterLocked();
        refundLocked();
        lock.notifyAll();
        changing = false;
    }

    private void dropReleasedLocked() {
        int left = 0;
        long bytes = 0;
        for (Area area : areas) {
            left += area.released ? 0 : 1;
            bytes += area.released ? area.bytes() : 0;
        }
        if (left < areas.length) {
            Area[] fewer = new Area[left];
            int at = 0;
            for (Area area : areas) {
                if (!area.released) {
                    fewer[at++] = area;
                }
            }
            areas = fewer;
            toRefundBytes += bytes;
        }
    }

    /** Takes a run that has memory behind it for a page; returns whether there is one so long. */
    boolean takeWarmLocked(Extent page, int count) {
        if (warmFree < count) {
            return false;
        }
        Area area = findLocked(Kind.WARM, count);
        if (area == null) {
            return false;
        }
        changing = true;
        cutLocked(area, page, count, State.TAKEN, count, null);
        warmFree -= count;
        taken += count;
        takenCount++;
        lowWater = Math.min(lowWater, warmFree + claimed);
        changing = false;
        return true;
    }

    /**
     * Takes addresses for a page and charges memory for them, which {@link #committedLocked} says
     * is there; returns whether there is such a run, and room.
     */
    boolean takeColdLocked(Extent page, int count) {
        Area area = findLocked(Kind.COLD, count);
        if (area == null) {
            return false;
        }
        changing = true;
        if (!budget.tryCommit(Granules.bytes(count))) {
            changing = false;
            return false;
        }
        charged += count;
        committedTotal += count;
        cutLocked(area, page, count, State.TAKEN, count, null);
        committed += count;
        grown = true;
        taken += count;
        takenCount++;
        changing = false;
        return true;
    }

    /** Small pages go to the lowest addresses of the run found last, all others to the highest. */
    private void cutLocked(
            Area area, Extent part, int count, State state, int charge, @Nullable Pass pass) {
        int run = foundAt;
        int from = count == 1 ? run : run + area.length(run) - count;
        area.hold(part, run, from, count, state, charge, pass);
    }

    /** Finds a run; null if there is none. */
    private @Nullable Area findLocked(byte kind, int count) {
        if (count == 1) {
            for (Area area : areas) {
                foundAt = area.lowest(kind);
                if (foundAt != BitTree.NONE) {
                    return area;
                }
            }
            return null;
        }
        for (int i = areas.length - 1; i >= 0; i--) {
            foundAt = areas[i].highestFitting(kind, count);
            if (foundAt != BitTree.NONE) {
                return areas[i];
            }
        }
        return null;
    }

    /** Whether there are contiguous addresses without memory. */
    boolean hasColdLocked(int count) {
        return findLocked(Kind.COLD, count) != null;
    }

    /**
     * Takes back a page.
     *
     * @param dirtyCount how many of its granules, from its first, are dirty now
     */
    void giveLocked(Extent page, int dirtyCount) {
        if (page.owner() != this) {
            throw new IllegalArgumentException(
                    "a page must be given to the space it was taken from: page=" + page);
        }
        if (page.state != State.TAKEN) {
            throw new IllegalStateException("a page can be given once: page=" + page);
        }
        Area area = page.area();
        area.dirtied(page, dirtyCount);
        changing = true;
        area.free(page, Kind.WARM);
        taken -= page.count;
        takenCount--;
        warmFree += page.count;
        changing = false;
    }

    /** Takes back a page whose memory could not be committed. */
    void abandonLocked(Extent page) {
        changing = true;
        page.area().free(page, Kind.COLD);
        taken -= page.count;
        takenCount--;
        shrinkLocked(page.count);
        changing = false;
    }

    private void shrinkLocked(long count) {
        committed -= count;
        uncommittedTotal += count;
        lowWaterLocked();
        refundLocked();
    }

    /** Less may be free now than ever in this slice; what is on its way to a target is counted. */
    private void lowWaterLocked() {
        lowWater = Math.min(lowWater, warmFree + claimed);
    }

    /**
     * Claims a part of a warm run.
     *
     * @param part what has it
     * @param run the first granule of the run
     * @param from the first of the part
     */
    void claimWarmLocked(Extent part, Pass pass, Area area, int run, int from, int count) {
        changing = true;
        area.hold(part, run, from, count, State.CLAIMED, count, pass);
        warmFree -= count;
        claimed += count;
        changing = false;
    }

    /** Claims a part of a cold run, likewise; of cold runs nothing is charged. */
    void claimColdLocked(Extent part, Pass pass, Area area, int run, int from, int count) {
        changing = true;
        area.hold(part, run, from, count, State.CLAIMED, 0, pass);
        changing = false;
    }

    /**
     * Claims addresses without memory as a target.
     *
     * @param toMove how many of its granules, the first, are to get memory from elsewhere
     * @return whether there are such addresses, and room for the others
     */
    boolean claimTargetLocked(Extent target, Pass pass, int count, int toMove) {
        Area area = findLocked(Kind.COLD, count);
        if (area == null) {
            return false;
        }
        int fresh = count - toMove;
        changing = true;
        if (fresh > 0) {
            if (!budget.tryCommit(Granules.bytes(fresh))) {
                changing = false;
                return false;
            }
            charged += fresh;
            committedTotal += fresh;
            grown = true;
        }
        cutLocked(area, target, count, State.CLAIMED, fresh, pass);
        target.atHome = !area.anyMoved(target.first, count);
        committed += fresh;
        claimed += fresh;
        // Now, so that others who plan see what this one may cost.
        seams -= area.seams();
        area.setMoved(target.first, toMove, true);
        seams += area.seams();
        changing = false;
        return true;
    }

    /** Frees what was claimed with memory, and either has it still or was uncommitted. */
    void returnLocked(Extent extent) {
        boolean warm = extent.warmTo > 0;
        changing = true;
        extent.area().free(extent, warm ? Kind.WARM : Kind.COLD);
        claimed -= extent.charged;
        if (warm) {
            warmFree += extent.charged;
        } else {
            shrinkLocked(extent.charged);
        }
        lock.notifyAll();
        changing = false;
    }

    /** Frees the addresses of a source whose memory is in a target now, and counts as its. */
    void sourceIsColdLocked(Extent source, Extent target) {
        Area area = source.area();
        changing = true;
        seams -= area.seams();
        area.movedAway(source.first, source.count);
        seams += area.seams();
        target.charged += source.count;
        source.charged = 0;
        area.free(source, Kind.COLD);
        movedTotal += source.count;
        changing = false;
    }

    /** Frees a target that got the memory of all its granules. */
    void targetIsWarmLocked(Extent target) {
        changing = true;
        target.area().free(target, Kind.WARM);
        claimed -= target.count;
        warmFree += target.count;
        assembledInBackground++;
        lock.notifyAll();
        changing = false;
    }

    /** Makes a page of a target. */
    void targetIsTakenLocked(Extent target) {
        changing = true;
        target.state = State.TAKEN;
        target.warmTo = target.count;
        target.pass = null;
        claimed -= target.count;
        taken += target.count;
        takenCount++;
        assembledOnAllocation++;
        lowWaterLocked();
        lock.notifyAll();
        changing = false;
    }

    /** Fresh addresses have replaced what somebody has in hand. */
    void renewedLocked(Extent extent) {
        Area area = extent.area();
        changing = true;
        seams -= area.seams();
        area.renewed(extent.first, extent.count);
        seams += area.seams();
        extent.renewing = false;
        changing = false;
    }

    /** Mappings that the space costs the process, at most. */
    long mappingsLocked() {
        return areas.length + seams;
    }

    void refusedLocked(OsCallException refusal) {
        refusals++;
        lastRefusal = refusal;
    }

    long reservedLocked() {
        return reserved;
    }

    long committedLocked() {
        return committed;
    }

    long takenLocked() {
        return taken;
    }

    int takenCountLocked() {
        return takenCount;
    }

    long warmFreeLocked() {
        return warmFree;
    }

    /** How much of what is warm and free may not read as zero. */
    long dirtyFreeLocked() {
        long dirty = 0;
        for (Area area : areas) {
            dirty += area.dirtyCount();
        }
        return dirty;
    }

    /** Whether there is free memory that could be given back. */
    boolean hasWasteLocked() {
        if (provider.canUncommit() && warmFree > 0) {
            return true;
        }
        for (Area area : areas) {
            if (area.unsureCount() > 0 || area.isWhole(Kind.WARM)) {
                return true;
            }
        }
        return false;
    }

    long claimedLocked() {
        return claimed;
    }

    /** How many granules could be had if they need not be neighbours. */
    long attainableLocked() {
        return warmFree + claimed + (budget.committableBytes() >> Granules.SHIFT);
    }

    /** The least that was free since the last call, and whether nothing was committed since. */
    long resetLowWaterLocked() {
        long least = grown ? 0 : Math.min(lowWater, warmFree + claimed);
        lowWater = warmFree + claimed;
        grown = false;
        return least;
    }

    /** Checks all invariants. */
    void verifyLocked() {
        for (Area area : areas) {
            area.verify();
        }
        Sums sums = new Sums(areas);
        check("reserved", sums.reserved, reserved);
        check("taken", sums.taken, taken);
        check("takenCount", sums.takenCount, takenCount);
        check("warmFree", sums.warmFree, warmFree);
        check("seams", sums.seams, seams);
        check("claimed", sums.claimed, claimed);
        check("committed", taken + warmFree + claimed, committed);
        check("charged", committed, charged);
        check("committedTotal", committed, committedTotal - uncommittedTotal);
        check("toRefundBytes", 0, toRefundBytes);
    }

    /** Checks also what holds only while no thread is inside. */
    void verifyAtRestLocked() {
        verifyLocked();
        check("claimed", 0, claimed);
        for (Area area : areas) {
            for (Extent extent : area.extents()) {
                check("claimed", extent.state == State.CLAIMED ? extent.count : 0, 0);
            }
        }
    }

    private static void check(String name, long found, long counted) {
        if (found != counted) {
            throw new AssertionError(
                    "a sum is what the extents add up to: name="
                            + name
                            + ", found="
                            + found
                            + ", counted="
                            + counted);
        }
    }
}
