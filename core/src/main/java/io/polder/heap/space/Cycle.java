package io.polder.heap.space;

import io.polder.event.Events;
import io.polder.gate.Gate;

import java.util.ArrayList;
import java.util.List;

/**
 * Empties regions while objects in them are used: no pause, only grace periods.
 *
 * <pre>{@code
 *   phase of the     what a thread that wants to        until
 *   chosen regions   change an object there does
 *   --------------   ----------------------------       ------------------------------------------
 *   STABLE           changes it in place                regions are chosen
 *   PREPARING        pins it, changes it in place       everybody inside knows (grace period)
 *   EVACUATING       copies it, changes the copy        all objects were copied or pinned
 *   FINISHING        pins it, changes it in place       everybody inside knows (grace period)
 *   STABLE, or given back if no object was left when FINISHING began
 * }</pre>
 *
 * <p>Who reads an object does so wherever its word says, at any time: the bytes that it finds stay
 * until it leaves, since a region is given back after a grace period only. Who begins to read after
 * a change has ended finds the copy that was changed.
 *
 * <p><b>Why PREPARING.</b> A thread that began when the region was STABLE may change an object in
 * place while others know of the cycle. Copying may begin only when all those have left.
 *
 * <p><b>Why FINISHING.</b> A thread that found a region EVACUATING may be about to copy an object
 * when the cycle ends. Changes in place without a pin may begin only when all those have left.
 *
 * <p><b>Pinned</b> objects stay where they are as long as somebody changes them there, and until
 * the end of the cycle if there is no room for a copy; then their region stays. One that was pinned
 * while its region was PREPARING, and that nobody is changing when its turn comes, is copied like
 * the others: so no object holds its region for being changed again and again.
 *
 * <p><b>Out of memory.</b> {@link OutOfMemoryPolicy}. If the evacuation gate was closed, it is
 * reopened when the chosen regions are STABLE again: nobody is inside then who knows them
 * otherwise.
 *
 * <p><b>Failure.</b> Whatever is thrown, chosen regions stay in the phase they are in, which is
 * safe, and {@link #recover} ends the cycle before the next one begins.
 *
 * <p>Used by one thread at a time, which must not be inside the access gate.
 */
final class Cycle {
    private final Gate access;
    private final Evacuation evacuation;
    private final ToSpace toSpace;
    private final HeapPages pages;
    private final Regions regions;
    private final EvacuationCounts counts;
    private final int heapNumber;

    Cycle(
            Gate access,
            Evacuation evacuation,
            ToSpace toSpace,
            Regions regions,
            HeapPages pages,
            EvacuationCounts counts,
            int heapNumber) {
        this.access = access;
        this.evacuation = evacuation;
        this.toSpace = toSpace;
        this.regions = regions;
        this.pages = pages;
        this.counts = counts;
        this.heapNumber = heapNumber;
    }

    /**
     * Evacuates regions and gives back what is empty then.
     *
     * @param chosen retired regions; those without live objects among them are given back, too
     * @param pace of the copying
     * @return how many bytes of pages were given back
     */
    long run(List<Region> chosen, Pace pace) {
        if (chosen.isEmpty()) {
            return 0;
        }
        CycleEvent event = Events.inUse() ? CycleEvent.begun() : null;
        long copiedBefore = counts.copiedBytes.sum();
        long refusedBefore = counts.refusedCopies.sum();
        long givenBack = 0;
        try {
            prepare(chosen);
            evacuate(chosen, pace);
        } finally {
            givenBack = finish();
        }
        pace.rest();
        counts.cycles.incrementAndGet();
        counts.givenBackBytes.addAndGet(givenBack);
        long refused = counts.refusedCopies.sum() - refusedBefore;
        if (refused > 0) {
            counts.outOfMemoryCycles.incrementAndGet();
        }
        if (event != null) {
            event.pool = pages.poolName();
            event.heap = heapNumber;
            event.finish(chosen.size(), counts.copiedBytes.sum() - copiedBefore, givenBack);
            if (refused > 0) {
                EvacuationOutOfMemoryEvent.record(
                        pages.poolName(), heapNumber, chosen.size(), refused);
            }
        }
        return givenBack;
    }

    private void prepare(List<Region> chosen) {
        long liveBytes = 0;
        for (Region region : chosen) {
            liveBytes += region.kind() == Kind.SMALL ? region.liveBytes() : 0;
        }
        int count = (int) ((liveBytes + Kind.SMALL.bytes() - 1) / Kind.SMALL.bytes());
        if (count > 0) {
            pages.expect(Kind.SMALL.bytes(), count);
        }
        evacuation.setPins(new PinCounts());
        evacuation.setUnderWay(true);
        for (Region region : chosen) {
            region.setChosen(true);
            region.setPhase(Region.PREPARING);
        }
        toSpace.prepare(count);
        access.awaitEarlier();
    }

    private void evacuate(List<Region> chosen, Pace pace) {
        for (Region region : chosen) {
            region.setPhase(Region.EVACUATING);
        }
        pace.begin();
        try {
            for (Region region : chosen) {
                if (!evacuation.evacuateRegion(region, pace)) {
                    return;
                }
            }
        } finally {
            pace.end();
        }
    }

    /** Ends a cycle that was cut off before its end. */
    void recover() {
        if (evacuation.isUnderWay()) {
            long givenBack = finish();
            counts.givenBackBytes.addAndGet(givenBack);
        }
    }

    /** Ends the cycle that is on: for all regions that were chosen, however far they came. */
    private long finish() {
        List<Region> empty = new ArrayList<>();
        List<Region> left = new ArrayList<>();
        for (Region region : regions.list()) {
            if (region.isChosen()) {
                (region.isEmptied() ? empty : left).add(region);
                region.setPhase(Region.FINISHING);
            }
        }
        access.awaitEarlier();
        long bytes = close(empty);
        for (Region region : left) {
            region.setPhase(Region.STABLE); // first: from now on nobody pins
            evacuation.unpin(region);
            region.setChosen(false); // last: else it is done again
        }
        if (evacuation.gate().isClosed()) {
            evacuation.gate().close(); // a close that was cut off has not waited for those inside
            evacuation.gate().reopen();
        }
        evacuation.setUnderWay(false);
        toSpace.finish();
        return bytes;
    }

    private long close(List<Region> empty) {
        long bytes = 0;
        for (Region region : empty) {
            bytes += region.bytes();
        }
        regions.close(empty);
        return bytes;
    }

    /** Gives back regions without live objects, after a grace period. */
    long collect(List<Region> empty) {
        if (empty.isEmpty()) {
            return 0;
        }
        access.awaitEarlier();
        long bytes = close(empty);
        toSpace.seeToReserve();
        counts.givenBackBytes.addAndGet(bytes);
        return bytes;
    }
}
