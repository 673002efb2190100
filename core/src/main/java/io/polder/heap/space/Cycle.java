package io.polder.heap.space;

import io.polder.event.EventHold;
import io.polder.event.Events;
import io.polder.gate.Gate;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * One evacuation cycle: empties the regions of a collection set while their objects are used. There
 * is no pause, only grace periods.
 *
 * <pre>{@code
 *   phase of the      what a thread does that           until
 *   regions           wants to change an object there
 *   --------------    ------------------------------    -------------------------------------------
 *   STABLE            changes it in place               they are chosen as the collection set
 *   PREPARING         pins it, changes it in place      all readers know (grace period)
 *   EVACUATING        copies it, changes the copy       all objects were copied or pinned
 *   FINISHING         pins it, changes it in place      all readers know (grace period)
 *   STABLE, or given back if no object was left when FINISHING began
 * }</pre>
 *
 * <p>A thread that reads an object does so wherever the word says, at any time: the bytes that it
 * finds stay until it leaves, since a region is given back after a grace period only. A thread that
 * begins to read after a change has ended finds the copy that was changed.
 *
 * <p><b>Why PREPARING.</b> A thread that entered when the region was STABLE may change an object in
 * place while others know of the cycle. Copying may begin only when all those threads have left.
 *
 * <p><b>Why FINISHING.</b> A thread that found a region EVACUATING may be about to copy an object
 * when the cycle ends. Changes in place without a pin may begin only when all those threads have
 * left.
 *
 * <p><b>Pinned</b> objects stay where they are as long as somebody changes them there, and until
 * the end of the cycle if there is no room for a copy; then their region stays. One that was pinned
 * while its region was PREPARING, and that nobody is changing when its turn comes, is copied like
 * the others: so no object holds its region for being changed again and again.
 *
 * <p><b>Out of memory.</b> {@link io.polder.heap.EvacuationFailurePolicy}. If the evacuation gate
 * was closed, it is reopened when the regions are STABLE again: nobody is inside then who knows
 * them otherwise.
 *
 * <p><b>Failure.</b> Whatever is thrown, the regions stay in the phase they are in, which is safe,
 * and {@link #recover} ends the cycle before the next one begins.
 *
 * <p>Used by one thread at a time, which must not be inside the access gate.
 */
record Cycle(
        Gate access,
        Evacuation evacuation,
        ToSpace toSpace,
        Regions regions,
        HeapPages pages,
        EvacuationCounts counts,
        int heapNumber) {

    /**
     * Evacuates regions and gives back what is empty then.
     *
     * @param round retired regions; those of them without live objects are given back, too
     * @param throttle of the copying
     * @param yields says, after each region, whether others wait for whom the cycle ends early
     * @return how much less the heap wastes for it, in bytes; 0 or less if it was in vain
     */
    long run(CompactionPolicy.Round round, Throttle throttle, BooleanSupplier yields) {
        List<Region> collectionSet = round.collectionSet();
        if (collectionSet.isEmpty() || !toSpace.begin(round.pageBytes())) {
            return 0;
        }
        CycleEvent event = Events.inUse() ? new CycleEvent() : null;
        if (event != null) {
            event.begin();
        }
        long copiedBefore = counts.copiedBytes.sum();
        long refusedBefore = counts.refusedCopies.sum();
        long givenBackBefore = counts.givenBackBytes.get();
        long saved = 0;
        try {
            prepare(collectionSet);
            evacuate(collectionSet, throttle, yields);
        } finally {
            saved = finish();
        }
        throttle.pause();
        counts.cycles.incrementAndGet();
        long refused = counts.refusedCopies.sum() - refusedBefore;
        if (refused > 0) {
            counts.outOfMemoryCycles.incrementAndGet();
        }
        if (event != null) {
            event.end();
            event.pool = pages.poolName();
            event.heap = heapNumber;
            event.regions = collectionSet.size();
            event.copiedBytes = counts.copiedBytes.sum() - copiedBefore;
            event.givenBackBytes = counts.givenBackBytes.get() - givenBackBefore;
            event.copiesWithoutRoom = refused;
            EventHold.commit(event);
        }
        return saved;
    }

    private void prepare(List<Region> collectionSet) {
        evacuation.pins = new PinCounts();
        evacuation.underWay = true;
        for (Region region : collectionSet) {
            region.wasted = region.bytes() - region.liveBytes();
            region.deadByWords = 0;
            region.inCollectionSet = true;
            region.phase = Region.PREPARING;
        }
        access.synchronize();
    }

    private void evacuate(List<Region> collectionSet, Throttle throttle, BooleanSupplier yields) {
        for (Region region : collectionSet) {
            region.phase = Region.EVACUATING;
        }
        throttle.begin();
        try {
            for (Region region : collectionSet) {
                boolean goOn = evacuation.evacuateRegion(region, throttle);
                if (!goOn || yields.getAsBoolean()) {
                    return;
                }
            }
        } finally {
            throttle.end();
        }
    }

    /** Ends a cycle that failed before its end. */
    void recover() {
        if (evacuation.underWay || toSpace.copying) {
            long _ = finish();
        }
    }

    /**
     * Ends the cycle that is on: for the whole collection set, however far it came.
     *
     * @return how much less the heap wastes
     */
    private long finish() {
        List<Region> empty = new ArrayList<>();
        List<Region> left = new ArrayList<>();
        for (Region region : regions.list()) {
            if (region.inCollectionSet) {
                boolean isEmpty = region.isEmptied() || region.isEmptyByWords();
                (isEmpty ? empty : left).add(region);
                region.phase = Region.FINISHING;
            }
        }
        access.synchronize();
        long saved = 0;
        for (Region region : empty) {
            long closed = toSpace.close(region);
            counts.givenBackBytes.addAndGet(closed);
            saved += closed == 0 ? 0 : region.wasted;
        }
        toSpace.seeToReserve();
        for (Region region : left) {
            region.phase = Region.STABLE; // first: from now on nobody pins
            evacuation.unpin(region);
            region.recount();
            region.inCollectionSet = false; // last: else it is done again
        }
        evacuation.reopen();
        evacuation.underWay = false;
        return saved - toSpace.end();
    }

    /** Gives back regions without live objects, after a grace period; returns how many bytes. */
    long collect() {
        List<Region> empty = regions.list().stream().filter(Region::isEmptied).toList();
        if (empty.isEmpty()) {
            return 0;
        }
        access.synchronize();
        long bytes = 0;
        for (Region region : empty) {
            bytes += toSpace.close(region);
        }
        toSpace.seeToReserve();
        counts.givenBackBytes.addAndGet(bytes);
        return bytes;
    }
}
