package io.polder.heap.space;

import io.polder.background.Background;
import io.polder.background.Task;
import io.polder.event.EventHold;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Decides when a heap is compacted, and does it: in the background within a share of a processor,
 * at once when somebody asks, and when the heap is full.
 *
 * <pre>{@code
 *   free --enough is dead in a region--> Task --tick--> collect empty regions, cycles, table
 *   compact, full heap ------------------------------> the same, expedited: without pauses
 * }</pre>
 *
 * <p>One thread does this for all heaps. A heap whose readers hold it up holds up the background
 * compaction of others for as long.
 *
 * <p>A heap at rest has no task: {@link #noticeDead} wakes it. Regions to which objects are added
 * are retired when most of them is dead and nothing was added for a while. After a cycle that gave
 * nothing back it looks now and then whether that may be different, and does nothing else: {@link
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
    private final HeapPages pages;
    private final EvacuationCounts counts;
    private final Throttle throttle;
    private final boolean byItself;
    private final Task task;
    private final Task waiting;
    private final Object lock = new Object();
    private final CompactionDeferral deferral = new CompactionDeferral();

    /** What objects filled at the last look; guarded by the lock. */
    private long filledThen;

    /** Whether the heap's memory was given up; guarded by the lock. */
    private boolean ended;

    /** What a compactor works on. */
    record Parts(
            Cycle cycle,
            Regions regions,
            Allocator allocator,
            ToSpace toSpace,
            TableCompaction table,
            HeapPages pages,
            EvacuationCounts counts) {}

    /**
     * A compactor at rest.
     *
     * @param share of one processor in the background; 0 for none
     * @param background where it works by itself
     */
    Compactor(Parts parts, double share, Background background) {
        this.cycle = parts.cycle;
        this.regions = parts.regions;
        this.allocator = parts.allocator;
        this.toSpace = parts.toSpace;
        this.table = parts.table;
        this.pages = parts.pages;
        this.counts = parts.counts;
        this.byItself = share > 0;
        this.throttle = new Throttle(byItself ? share : 1, parts.counts);
        this.task = background.task(this::tick, PERIOD_NANOS);
        this.waiting = background.task(this::lookWhileWaiting, WAITING_NANOS);
    }

    /** Something died in a region, in which so much is dead now. */
    void noticeDead(Region region, long deadBytes) {
        if (!byItself) {
            return;
        }
        if (CompactionPolicy.isWorthALook(deadBytes, region.bytes())) {
            task.wake();
        } else if (region.liveBytes() == 0) {
            (region.isRetired() ? task : waiting).wake();
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
            if (ended) {
                return false;
            }
            cycle.recover();
            boolean collected = collect() > 0;
            if (collected) {
                deferral.reset();
            } else {
                allocator.retireCurrent(region -> region.deadBytes() > region.bytes() / 2);
            }
            boolean more = cycleIfWorthIt();
            table.run(throttle);
            if (!collected && !more && hasMostlyDead(regions.list())) {
                waiting.wake();
            }
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
        CompactionPolicy.Round round = CompactionPolicy.choose(all, toSpace.room());
        if (round.collectionSet().isEmpty()) {
            deferral.reset();
            if (CompactionPolicy.gainMax(all) > 0) {
                deferral.noRoom(before);
                waiting.wake();
            }
            return false;
        }
        long _ = cycle.run(round, throttle, true);
        all = regions.list();
        deferral.cycleEnded(before, state(all), System.nanoTime());
        if (deferral.isDeferred()) {
            waiting.wake();
        }
        return !deferral.isDeferred();
    }

    private CompactionDeferral.State state(List<Region> all) {
        return new CompactionDeferral.State(
                filledBytes(all),
                deadBytes(all),
                pages.takenBytes(),
                pages.roomToEvacuate(),
                counts.refusedCopies.sum());
    }

    private static long filledBytes(List<Region> all) {
        return all.stream().mapToLong(Region::filledBytes).sum();
    }

    private static long deadBytes(List<Region> all) {
        return all.stream().mapToLong(Region::deadBytes).sum();
    }

    /** How much is dead, as far as it was counted. */
    long deadBytes() {
        return deadBytes(regions.list());
    }

    /** Of a region that objects are still added to, more is dead than alive. */
    private static boolean isMostlyDead(Region region) {
        return !region.isRetired() && region.deadBytes() > region.liveBytes();
    }

    private static boolean hasMostlyDead(List<Region> all) {
        return all.stream().anyMatch(Compactor::isMostlyDead);
    }

    /** Retires regions of a heap that is not used; returns whether to look again. */
    private boolean retireIdle() {
        List<Region> all = regions.list();
        long filled = filledBytes(all);
        boolean idle = filled == filledThen;
        filledThen = filled;
        boolean retires = hasMostlyDead(all);
        if (retires && idle) {
            retireCurrent(Compactor::isMostlyDead);
            task.wake();
        }
        return retires && !idle;
    }

    /**
     * Has a cycle tried that may give something back now, and regions emptied to which nothing is
     * added; returns whether to look again later.
     */
    private boolean lookWhileWaiting() {
        synchronized (lock) {
            if (ended) {
                return false;
            }
            boolean again = retireIdle();
            if (deferral.isDeferred()
                    && !deferral.lasts(pages.roomToEvacuate(), System.nanoTime())) {
                task.wake();
            }
            return again || deferral.isDeferred();
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

    /**
     * Compacts until nothing is left that is worth it.
     *
     * @return how many bytes of pages were given back
     */
    long compact() {
        return expedited(
                () -> {
                    long taken = pages.takenBytes();
                    retireCurrent(region -> region.deadBytes() > 0);
                    long _ = collect();
                    boolean more = true;
                    for (int round = 0; round < ROUNDS_MAX && more; round++) {
                        List<Region> all = regions.list();
                        more = copies(CompactionPolicy.chooseAll(all, toSpace.room()));
                    }
                    table.run(throttle);
                    return Math.max(0, taken - pages.takenBytes());
                });
    }

    private void retireCurrent(Predicate<Region> condition) {
        allocator.retireCurrent(condition);
        toSpace.retireCurrent(condition);
    }

    /**
     * Makes room in a heap that is full.
     *
     * @param wantedBytes of the page that was refused
     * @return whether there may be more room, in pages or in regions
     */
    boolean makeRoom(long wantedBytes) {
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
                            return givenBack > 0 && pages.hasRoom(wantedBytes)
                                    ? givenBack
                                    : Math.max(0, givenBack) + makeRoomByCopying(wantedBytes);
                        })
                > 0;
    }

    /**
     * Cycle after cycle until there is room. Each takes no more room than there is, and wastes less
     * than before. At last regions are evacuated to which objects are still added.
     *
     * @return 0 if none of them has brought anything
     */
    private long makeRoomByCopying(long wantedBytes) {
        long brought = 0;
        boolean last = false;
        toSpace.seeToReserve();
        for (int round = 0; round < ROUNDS_MAX && !pages.hasRoom(wantedBytes); round++) {
            List<Region> all = regions.list();
            if (copies(CompactionPolicy.chooseFull(all, wantedBytes, toSpace.room()))) {
                brought++;
            } else if (last) {
                break;
            } else {
                last = true;
                retireCurrent(region -> region.deadBytes() > 0);
                brought += collect();
            }
        }
        return brought;
    }

    /** A cycle; returns whether the heap has less now, or wastes less. */
    private boolean copies(CompactionPolicy.Round round) {
        long taken = pages.takenBytes();
        long wasted = wastedBytes();
        long _ = cycle.run(round, throttle, false);
        return pages.takenBytes() < taken || wastedBytes() < wasted;
    }

    /** What pages have beside objects that live, and the room for more of them. */
    private long wastedBytes() {
        long wasted = 0;
        for (Region region : regions.list()) {
            wasted += region.isRetired() ? region.bytes() - region.liveBytes() : region.deadBytes();
        }
        return wasted;
    }

    /**
     * Has the heap's memory given up while no cycle is on, and begins none afterwards: whoever was
     * about to compact would read handles that are gone.
     */
    void end(Runnable giveUp) {
        atRest(
                () -> {
                    ended = true;
                    giveUp.run();
                });
    }

    /** Does something while no cycle is on. */
    void atRest(Runnable work) {
        long _ =
                locked(
                        () -> {
                            work.run();
                            return 0;
                        });
    }

    private long expedited(LongSupplier work) {
        return locked(() -> ended ? 0 : work.getAsLong());
    }

    private long locked(LongSupplier work) {
        synchronized (throttle) {
            throttle.expediters++;
        }
        try (EventHold _ = hold()) {
            throttle.expedite();
            synchronized (lock) {
                if (!ended) {
                    cycle.recover();
                }
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
