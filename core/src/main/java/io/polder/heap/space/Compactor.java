package io.polder.heap.space;

import io.polder.background.Background;
import io.polder.background.Task;
import io.polder.event.EventHold;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Decides when a heap is compacted, and does it: in the background within a share of a processor,
 * at once when somebody asks, and when the heap is full.
 *
 * <pre>{@code
 *   free --enough is dead in a region--> Task --tick--> collect empty regions, cycles, table
 *   compact, full heap ------------------------------> the same without rests
 * }</pre>
 *
 * <p>A heap at rest has no task: {@link #noticeDead} wakes it.
 *
 * <p>One at a time, under a lock which is held for whole cycles; who waits for it has the owner
 * hurry. Nobody may wait for it inside the access gate: a cycle waits for those.
 */
final class Compactor {
    /** Between two looks: guessed; as much garbage as this makes is not noticed. */
    private static final long PERIOD_NANOS = 10_000_000;

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
    private final Pace pace;
    private final boolean byItself;
    private final Background background = new Background("polder-heap");
    private final Task task;
    private final ReentrantLock lock = new ReentrantLock();

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
        this.pace = new Pace(byItself ? share : 1, parts.counts);
        this.task = background.task(this::tick, PERIOD_NANOS);
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
        lock.lock();
        try {
            recover();
            long collected = collect();
            if (collected == 0) {
                allocator.retireMostlyDead();
            }
            List<Region> chosen = CompactionPolicy.choose(regions.list());
            long _ = cycle.run(chosen, pace);
            table.run(pace);
            return collected > 0 || !chosen.isEmpty();
        } finally {
            lock.unlock();
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

    /** Ends what was cut off before: a cycle, and what is counted. */
    private void recover() {
        cycle.recover();
        recount.runIfNeeded();
    }

    /**
     * Compacts until nothing is left that is worth it.
     *
     * @return how many bytes of pages were given back
     */
    long compact() {
        return hurried(
                () -> {
                    allocator.retireCurrent();
                    toSpace.retireCurrent();
                    long givenBack = collect();
                    for (int round = 0; round < ROUNDS_MAX; round++) {
                        long before = pages.takenBytes();
                        long _ = cycle.run(CompactionPolicy.chooseAll(regions.list()), pace);
                        if (pages.takenBytes() >= before) {
                            break;
                        }
                        givenBack += before - pages.takenBytes();
                    }
                    long before = pages.takenBytes();
                    table.run(pace);
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
        return hurried(
                        () -> {
                            long givenBack = counts.givenBackBytes.get() - seen; // by others
                            if (givenBack == 0) {
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

    private long makeRoomByCopying() {
        long taken = pages.takenBytes();
        long room = Kind.SMALL.bytes();
        for (int round = 0; round < ROUNDS_MAX; round++) {
            List<Region> chosen = CompactionPolicy.chooseWithin(regions.list(), room);
            long before = pages.takenBytes();
            long _ = cycle.run(chosen, pace);
            if (pages.takenBytes() >= before) {
                break;
            }
            if (taken - pages.takenBytes() >= Kind.MEDIUM_32.bytes()) {
                break; // enough for now: the rest is done in the background
            }
            room = Math.max(room, before - pages.takenBytes());
        }
        return Math.max(0, taken - pages.takenBytes());
    }

    /** Does something while no cycle is on. */
    void atRest(Runnable work) {
        long _ =
                hurried(
                        () -> {
                            work.run();
                            return 0;
                        });
    }

    private long hurried(LongSupplier work) {
        pace.hurry();
        try (EventHold _ = hold()) {
            lock.lock();
            try {
                recover();
                return work.getAsLong();
            } finally {
                lock.unlock();
            }
        } finally {
            pace.hurriedEnough();
        }
    }

    /** Ends the work in the background for good, and waits for what is being done. */
    void close() {
        pace.hurry();
        task.cancel();
    }
}
