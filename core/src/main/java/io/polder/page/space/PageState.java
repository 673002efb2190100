package io.polder.page.space;

import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryProvider;
import io.polder.memory.OsCallException;
import io.polder.page.space.Extent.State;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * All granules of a space, and its sums.
 *
 * <pre>{@code
 *   reserved  =  committed + cold                       sums of granules
 *   committed =  taken + warmFree + claimed
 * }</pre>
 *
 * <p><b>Invariants.</b> The equations above; each sum is what the extents of all areas add up to,
 * where only what has memory, or is charged for it, counts as claimed; {@code seams} is the sum of
 * those of the areas. What is committed here is charged to the budget when the lock is free, no
 * more and no less.
 *
 * <p><b>Locking.</b> Its {@link PageLock} guards everything in it, the areas with their extents
 * included. It is the innermost lock of the space: no system call is made and nothing is called
 * under it but the {@link MemoryBudget}'s sums. Methods that end in {@code Locked} are called with
 * it held.
 */
final class PageState {
    /** How long to wait for what others have in hand; they say when it comes back. */
    private static final long CLAIM_NANOS = 1_000_000;

    private final PageLock lock = new PageLock();
    final MemoryProvider provider;
    final MemoryBudget budget;
    final Demand demand = new Demand();

    /** Reservations, by address. */
    private final List<Area> areas = new ArrayList<>();

    private long reserved;
    private long committed;
    private long taken;
    private long warmFree;
    private long claimed;
    private int takenCount;
    private long seams;

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

    /** Takes the lock, to be given back by the end of a try. */
    PageLock lock() {
        return lock.lock();
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

    List<Area> areasLocked() {
        return areas;
    }

    /**
     * Waits for what is in hand: until some of it comes back, or a moment. Not for who has
     * something in hand himself.
     *
     * @return whether anything was
     */
    boolean awaitClaims() {
        try (PageLock _ = lock()) {
            long before = claimed;
            long left = CLAIM_NANOS;
            while (claimed > 0 && claimed == before && left > 0) {
                left = lock.awaitLocked(left);
            }
            return before > 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** Adds a reservation of which nothing is taken; charged already. */
    void addLocked(Area area, State state) {
        int at = 0;
        while (at < areas.size() && areas.get(at).address() < area.address()) {
            at++;
        }
        areas.add(at, area);
        reserved += area.size();
        seams += area.seams();
        if (state == State.WARM) {
            committed += area.size();
            committedTotal += area.size();
            warmFree += area.size();
            grown = true;
        }
    }

    /** Removes a reservation that was claimed as a whole and is released, and refunds it. */
    void removeLocked(Area area) {
        areas.remove(area);
        reserved -= area.size();
        seams -= area.seams();
        budget.released(area.bytes());
    }

    /** Takes a run that has memory behind it; null if there is none so long. */
    @Nullable Extent takeWarmLocked(int count) {
        if (warmFree < count) {
            return null;
        }
        Extent run = findLocked(State.WARM, count);
        if (run == null) {
            return null;
        }
        warmFree -= count;
        lowWaterLocked();
        return takenLocked(cutLocked(run, count, State.TAKEN));
    }

    /** Takes addresses and charges memory for them; null if there is no run or no room. */
    @Nullable Extent takeColdLocked(int count) {
        Extent run = findLocked(State.COLD, count);
        if (run == null || !budget.tryCommit(Granules.bytes(count))) {
            return null;
        }
        growLocked(count);
        return takenLocked(cutLocked(run, count, State.TAKEN));
    }

    private void growLocked(int count) {
        committed += count;
        committedTotal += count;
        grown = true;
    }

    /** Small pages go to the lowest addresses, all others to the highest. */
    private static Extent cutLocked(Extent run, int count, State state) {
        return count == 1
                ? run.area.cutLow(run, count, state)
                : run.area.cutHigh(run, count, state);
    }

    private @Nullable Extent findLocked(State kind, int count) {
        if (count == 1) {
            for (Area area : areas) {
                Extent run = area.lowest(kind);
                if (run != null) {
                    return run;
                }
            }
            return null;
        }
        for (int i = areas.size() - 1; i >= 0; i--) {
            Extent run = areas.get(i).highestFitting(kind, count);
            if (run != null) {
                return run;
            }
        }
        return null;
    }

    private Extent takenLocked(Extent extent) {
        taken += extent.count;
        takenCount++;
        return extent;
    }

    /** Whether there are contiguous addresses without memory. */
    boolean hasColdLocked(int count) {
        return findLocked(State.COLD, count) != null;
    }

    /**
     * Takes back a page.
     *
     * @param dirtyCount how many of its granules, from its first, are dirty now
     */
    void giveLocked(Extent extent, int dirtyCount) {
        if (extent.area.owner() != this) {
            throw new IllegalArgumentException(
                    "a page must be given to the space it was taken from: page=" + extent);
        }
        if (extent.state != State.TAKEN) {
            throw new IllegalStateException("a page can be given once: page=" + extent);
        }
        taken -= extent.count;
        takenCount--;
        warmFree += extent.count;
        extent.dirtied(dirtyCount);
        extent.area.free(extent, State.WARM);
    }

    /** Takes back a page whose memory could not be committed. */
    void abandonLocked(Extent extent) {
        taken -= extent.count;
        takenCount--;
        shrinkLocked(extent.count);
        extent.dirty = null;
        extent.area.free(extent, State.COLD);
    }

    private void shrinkLocked(long count) {
        committed -= count;
        uncommittedTotal += count;
        budget.uncommitted(Granules.bytes(count));
        lowWaterLocked();
    }

    /** Less may be free now than ever in this slice; what is on its way to a target is counted. */
    private void lowWaterLocked() {
        lowWater = Math.min(lowWater, warmFree + claimed);
    }

    /** Claims a part of a warm run, from its lowest or its highest granule. */
    Extent claimWarmLocked(Extent run, int from, int count) {
        warmFree -= count;
        claimed += count;
        return run.area.cut(run, from, count, State.CLAIMED);
    }

    /** Claims addresses without memory, as the target of an assembly; there are some. */
    Extent claimColdLocked(int count) {
        Extent run = findLocked(State.COLD, count);
        if (run == null) {
            throw new AssertionError("a target is looked for before it is claimed: count=" + count);
        }
        return cutLocked(run, count, State.CLAIMED);
    }

    /** Frees what was claimed and still has its memory. */
    void returnWarmLocked(Extent extent) {
        claimed -= extent.count;
        warmFree += extent.count;
        extent.area.free(extent, State.WARM);
        lock.changedLocked();
    }

    /** Frees what was claimed and was uncommitted. */
    void returnUncommittedLocked(Extent extent) {
        claimed -= extent.count;
        shrinkLocked(extent.count);
        extent.dirty = null;
        extent.area.free(extent, State.COLD);
        lock.changedLocked();
    }

    /** Ends a claim of warm memory that has gone with its reservation. */
    void claimedIsGoneLocked(long count) {
        claimed -= count;
        shrinkLocked(count);
        lock.changedLocked();
    }

    /** Frees the addresses of what was claimed and whose memory is in a target now. */
    void sourceIsColdLocked(Extent extent) {
        extent.dirty = null;
        seams -= extent.area.seams();
        extent.area.movedAway(extent.first, extent.count);
        seams += extent.area.seams();
        extent.area.free(extent, State.COLD);
    }

    /** Ends the claim of granules that are in a target now, which is about to be freed or taken. */
    void movedLocked(int count) {
        claimed -= count;
        movedTotal += count;
    }

    /** Frees a target that got the memory of all its granules. */
    void targetIsWarmLocked(Extent target) {
        warmFree += target.count;
        target.area.free(target, State.WARM);
        lock.changedLocked();
    }

    /** Frees addresses that were claimed and got no memory. */
    void targetIsColdLocked(Extent target) {
        target.area.free(target, State.COLD);
    }

    /** Makes a page of a target. */
    Extent targetIsTakenLocked(Extent target) {
        target.state = State.TAKEN;
        lowWaterLocked();
        lock.changedLocked();
        return takenLocked(target);
    }

    /** Charges memory that a target gets when it is touched; returns whether there is room. */
    boolean claimFreshLocked(int count) {
        if (!budget.tryCommit(Granules.bytes(count))) {
            return false;
        }
        growLocked(count);
        claimed += count;
        return true;
    }

    /** Ends the claim of what a target gets when it is touched. */
    void freshIsTakenLocked(int count) {
        claimed -= count;
    }

    /** Takes back the charge of what a target does not get. */
    void returnFreshLocked(int count) {
        claimed -= count;
        shrinkLocked(count);
    }

    /** Memory that is at home elsewhere is about to come to the first granules of a target. */
    void movedToLocked(Extent target, int count) {
        seams -= target.area.seams();
        target.area.setMoved(target.first, count, true);
        seams += target.area.seams();
    }

    /** No memory came to a target of which nothing was moved before. */
    void nothingMovedLocked(Extent target) {
        seams -= target.area.seams();
        target.area.setMoved(target.first, target.count, false);
        seams += target.area.seams();
    }

    /** Fresh addresses have replaced what somebody has in hand. */
    void renewedLocked(Extent extent) {
        seams -= extent.area.seams();
        extent.area.renewed(extent.first, extent.count);
        seams += extent.area.seams();
    }

    /** Mappings that the space costs the process, at most. */
    long mappingsLocked() {
        return areas.size() + seams;
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
        if (provider.canUncommit()) {
            return warmFree > 0;
        }
        for (Area area : areas) {
            if (area.isWhole(State.WARM)) {
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
        long size = 0;
        long takenFound = 0;
        int countFound = 0;
        long warmFound = 0;
        long claimedFound = 0;
        long seamsFound = 0;
        for (Area area : areas) {
            area.verify();
            size += area.size();
            seamsFound += area.seams();
            for (Extent extent : area.extents()) {
                switch (extent.state) {
                    case TAKEN -> {
                        takenFound += extent.count;
                        countFound++;
                    }
                    case WARM -> warmFound += extent.count;
                    case CLAIMED -> claimedFound += extent.count;
                    case COLD -> {}
                }
            }
        }
        check("reserved", size == reserved, size, reserved);
        check("taken", takenFound == taken, takenFound, taken);
        check("takenCount", countFound == takenCount, countFound, takenCount);
        check("warmFree", warmFound == warmFree, warmFound, warmFree);
        check("seams", seamsFound == seams, seamsFound, seams);
        check("claimed", claimed >= 0, claimedFound, claimed);
        check(
                "committed",
                committed == taken + warmFree + claimed,
                taken + warmFree + claimed,
                committed);
    }

    /** Checks also what holds only while no thread is inside. */
    void verifyAtRestLocked() {
        verifyLocked();
        check("claimed", claimed == 0, claimed, 0);
        for (Area area : areas) {
            for (Extent extent : area.extents()) {
                check("claimed", extent.state != State.CLAIMED, extent.count, 0);
            }
        }
    }

    private static void check(String name, boolean holds, long found, long counted) {
        if (!holds) {
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
