package io.polder.heap.space;

import io.polder.background.Background;
import io.polder.background.Task;
import io.polder.event.EventHold;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Decides when a heap is compacted, and does it: in the background within a share of a processor,
 * at once when somebody asks, and when the heap is full.
 *
 * <pre>{@code
 *   free --enough is dead in a region--> Task --tick--> collect empty regions, cycles, table
 *   compact, full heap ------------------------------> the same, expedited: without pauses
 * }</pre>
 *
 * <p>A heap at rest has no task: {@link #noticeDead} wakes it. After a cycle that gave nothing back
 * it looks now and then whether that may be different, and does nothing else: {@link
 * CompactionDeferral}.
 *
 * <p>One thread compacts at a time, under a lock which it holds for whole cycles; a thread that
 * waits for the lock expedites the owner. Nobody may wait for it inside the access gate: a cycle
 * waits for the readers of that.
 *
 * <p>Failure. The lock is a monitor, and a store in place takes back what expedites: whatever is
 * thrown, the next thread finds both as if this one had not been. A step in the background that
 * throws is run again.
 */
final class Compactor {
    /** Between two looks: guessed; as much garbage as this makes is not noticed. */
    private static final long PERIOD_NANOS = 10_000_000;

    /** Between two looks whether there is room now, or whether it is time to try again. */
    private static final long WAITING_NANOS = 1_000_000_000;

    /** More rounds than any heap needs. */
    private static final int ROUNDS_MAX = 10_000;

    private final Cycle cycle;
    private final Regions regions;
    private final Allocator allocator;
    private final ToSpace toSpace;
    private final TableCompaction table;
    private final Recount recount;
    private final HeapPages pages;
    private final EvacuationCounts counts;
    private final Throttle throttle;
    private final boolean byItself;
    private final Background background = new Background("polder-heap");
    private final Task task;
    private final Task waiting;
    private final Object lock = new Object();
    private final CompactionDeferral deferral = new CompactionDeferral();

    /** What a compactor works on. */
    record Parts(
            Cycle cycle,
            Regions regions,
            Allocator allocator,
            ToSpace toSpace,
            TableCompaction table,
            Recount recount,
            HeapPages pages,
            EvacuationCounts counts) {}

    /**
     * A compactor at rest.
     *
     * @param share of one processor in the background; 0 for none
     */
    Compactor(Parts parts, double share) {
        this.cycle = parts.cycle;
        this.regions = parts.regions;
        this.allocator = parts.allocator;
        this.toSpace = parts.toSpace;
        this.table = parts.table;
        this.recount = parts.recount;
        this.pages = parts.pages;
        this.counts = parts.counts;
        this.byItself = share > 0;
        this.throttle = new Throttle(byItself ? share : 1, parts.counts);
        this.task = background.task(this::tick, PERIOD_NANOS);
        this.waiting = background.task(this::lookWhileWaiting, WAITING_NANOS);
    }

    /** Something died in a region. */
    void noticeDead(long deadBytes, long regionBytes) {
        if (byItself && CompactionPolicy.isWorthALook(deadBytes, regionBytes)) {
            task.wake();
        }
    }

    /** Does what is worth it; returns whether to look again soon. */
    private boolean tick() {
        try (EventHold _ = hold()) {
            return tickLocking();
        }
    }

    /** Events of heaps as well wait until the lock is free. */
    private static @Nullable EventHold hold() {
        EventHold hold = EventHold.begin();
        if (hold != null) {
            CycleEvent.load();
        }
        return hold;
    }

    private boolean tickLocking() {
        synchronized (lock) {
            recover();
            boolean collected = collect() > 0;
            if (collected) {
                deferral.reset();
            } else {
                allocator.retireMostlyDead();
            }
            boolean more = cycleIfWorthIt();
            table.run(throttle);
            return collected || more;
        }
    }

    /** Returns whether there was a cycle that gave something back. */
    private boolean cycleIfWorthIt() {
        List<Region> all = regions.list();
        CompactionDeferral.State before = state(all);
        if (deferral.lasts(before, System.nanoTime())) {
            return false;
        }
        List<Region> collectionSet = CompactionPolicy.choose(all);
        if (collectionSet.isEmpty()) {
            deferral.reset();
            return false;
        }
        long _ = cycle.run(collectionSet, throttle);
        all = regions.list();
        pages.keepRoomFor(all);
        deferral.cycleEnded(before, state(all), System.nanoTime());
        if (deferral.isDeferred()) {
            waiting.wake();
        }
        return !deferral.isDeferred();
    }

    private CompactionDeferral.State state(List<Region> all) {
        long filled = 0;
        for (Region region : all) {
            filled += region.filledBytes();
        }
        return new CompactionDeferral.State(
                filled, deadBytes(all), pages.takenBytes(), room(), counts.refusedCopies.sum());
    }

    private static long deadBytes(List<Region> all) {
        long dead = 0;
        for (Region region : all) {
            dead += region.deadBytes();
        }
        return dead;
    }

    private long room() {
        return Math.min(pages.roomInPool(), pages.maxBytes() - pages.takenBytes());
    }

    /** Has a cycle tried that may give something back now; returns whether to look again later. */
    private boolean lookWhileWaiting() {
        synchronized (lock) {
            if (deferral.isDeferred() && !deferral.lasts(room(), System.nanoTime())) {
                task.wake();
            }
            return deferral.isDeferred();
        }
    }

    private long collect() {
        List<Region> empty = new ArrayList<>();
        for (Region region : regions.list()) {
            if (region.isEmptied()) {
                empty.add(region);
            }
        }
        return cycle.collect(empty);
    }

    /** Ends what was cut off before: a cycle, regions that came or went, and what is counted. */
    private void recover() {
        cycle.recover();
        regions.closeCutOff();
        recount.runIfNeeded();
    }

    /**
     * Compacts until nothing is left that is worth it.
     *
     * @return how many bytes of pages were given back
     */
    long compact() {
        return expedited(
                () -> {
                    allocator.retireCurrent();
                    toSpace.retireCurrent();
                    long givenBack = collect();
                    for (int round = 0; round < ROUNDS_MAX; round++) {
                        long before = pages.takenBytes();
                        long _ = cycle.run(CompactionPolicy.chooseAll(regions.list()), throttle);
                        if (pages.takenBytes() >= before) {
                            break;
                        }
                        givenBack += before - pages.takenBytes();
                    }
                    long before = pages.takenBytes();
                    table.run(throttle);
                    return givenBack + Math.max(0, before - pages.takenBytes());
                });
    }

    /**
     * Makes room in a heap that is full.
     *
     * @return whether any page was given back
     */
    boolean makeRoom() {
        long seen = counts.givenBackBytes.get();
        long taken = pages.takenBytes();
        return expedited(
                        () -> {
                            // By others, or by the end of a cycle that was cut off.
                            long givenBack =
                                    Math.max(
                                            counts.givenBackBytes.get() - seen,
                                            taken - pages.takenBytes());
                            if (givenBack <= 0) {
                                givenBack = collect();
                            }
                            if (givenBack == 0) {
                                allocator.retireCurrent();
                                toSpace.retireCurrent();
                                givenBack = makeRoomByCopying();
                            }
                            return givenBack;
                        })
                > 0;
    }

    /**
     * Copies as much at a time as there is room for, and more when some was given back. As long as
     * none was, a cycle may have filled the region that is copied to, so that the next one needs
     * less: then there is less garbage than before.
     */
    private long makeRoomByCopying() {
        long taken = pages.takenBytes();
        long gained = 0;
        List<Region> all = regions.list();
        for (int round = 0; round < ROUNDS_MAX; round++) {
            long room = Math.max(toSpace.reserveBytes(), pages.roomToEvacuate());
            room = Math.max(gained, Math.max(RegionType.SMALL.bytes(), toSpace.restBytes() + room));
            long before = pages.takenBytes();
            long deadBefore = deadBytes(all);
            long _ = cycle.run(CompactionPolicy.chooseWithin(all, room), throttle);
            long now = pages.takenBytes();
            all = regions.list();
            boolean gaveBack = now < before;
            if (!gaveBack && (now < taken || deadBytes(all) >= deadBefore)) {
                break;
            }
            if (taken - now >= RegionType.MEDIUM_32.bytes()) {
                break; // enough for now: the rest is done in the background
            }
            gained = Math.max(gained, before - now);
        }
        pages.keepRoomFor(all);
        return Math.max(0, taken - pages.takenBytes());
    }

    /** Does something while no cycle is on. */
    void atRest(Runnable work) {
        long _ =
                expedited(
                        () -> {
                            work.run();
                            return 0;
                        });
    }

    private long expedited(LongSupplier work) {
        synchronized (throttle) {
            throttle.expediters++;
        }
        try (EventHold _ = hold()) {
            throttle.expedite();
            synchronized (lock) {
                recover();
                long done = work.getAsLong();
                if (done > 0) {
                    deferral.reset();
                }
                return done;
            }
        } finally {
            synchronized (throttle) {
                throttle.expediters--;
            }
        }
    }

    /**
     * Ends the work in the background for good, and waits for what is being done. Can be called
     * again if it was cut off.
     */
    void close() {
        synchronized (throttle) {
            throttle.expediters++;
        }
        throttle.expedite();
        waiting.cancel();
        task.cancel();
    }
}
