package io.polder.heap.space;

import io.polder.background.Task;
import io.polder.event.EventHold;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Decides when a heap is compacted, and does it: in the background within a share of a processor,
 * at once when somebody asks, and when the heap is full.
 *
 * <pre>{@code
 *   free --enough is dead in a region--> Task --tick--> collect empty regions, cycles, table
 *   compact ---------------------------------------> the same, expedited: without pauses
 *   full heap -------------------------------------> cycles, until there is room
 * }</pre>
 *
 * <p>One thread does this for all heaps. No heap keeps it from the others for long: one with a
 * small share leaves it where it has to pause, and while readers {@linkplain #heldUp hold one up},
 * others get another thread.
 *
 * <p>A heap at rest has no task: {@link #died} wakes it. When nothing came and went between two
 * looks, it is compacted further. Regions to which objects are added are retired when most of them
 * is dead, or much of them together is no object, and nothing was added for a while. What waits for
 * that, or until the heap has its share again, or for a while after a cycle that gave nothing back,
 * or for room for a smaller table, has the background look once a second. Where much is dead and no
 * cycle is worth it, nobody looks before more dies, or the heap comes to rest, whatever is
 * allocated; if there is little room to copy to, the background looks whether there is more.
 *
 * <p>One thread compacts at a time, under a lock which it holds for one cycle; a thread that waits
 * for the lock expedites the owner. Nobody may wait for it inside the access gate: a cycle waits
 * for the readers of that.
 *
 * <p><b>A full heap.</b> Who makes room for an object goes before all others: their cycle ends
 * after the region it is at, and the table is left as far as it was moved. It begins with the
 * cheapest that helps. For a small object this is one region, of whose copy the end has room for
 * new objects; else regions are emptied until a page is free. Where free memory lies apart, and the
 * page of a round is not to be had, another round is chosen for the largest that is.
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

    /** After a cycle in vain; guessed: it may not have been so for long in a heap that is used. */
    private static final long DEFERRAL_LEAST_NANOS = 60_000_000;

    /** After many: guessed, a cycle costs some ten milliseconds. */
    private static final long DEFERRAL_MOST_NANOS = 2_000_000_000;

    /** And where nothing has changed: guessed, who updates objects may have been in the way. */
    private static final long SAME_MOST_NANOS = 60_000_000_000L;

    /** How long another round lets those go first who need room, at most. */
    private static final long URGENT_NANOS = 10_000_000;

    /** Between two looks at that. */
    private static final long LOOK_NANOS = 50_000;

    /** So much room at the end of a region is worth its copy in a full heap: guessed. */
    private static final int ROOM_PART = 4;

    /** More rounds than any heap needs. */
    private static final int ROUNDS_MAX = 10_000;

    private final Cycle cycle;
    private final Regions regions;
    private final Allocator allocator;
    final ToSpace toSpace;
    final TableCompaction table;
    private final HeapPages pages;
    final RoomMaker room;
    final EvacuationCounts counts;
    private final Throttle throttle;
    private final boolean byItself;
    final Task task;
    final Task waiting;
    final Task uncommitting;
    private final Object lock = new Object();

    /** When a cycle was in vain, or none was worth it; guarded by the lock, as the next are. */
    private long inVainAt = System.nanoTime();

    /** How long the next is deferred after that: twice as long each time. */
    private long deferralNanos;

    /** What there was when none was worth it, or after a cycle. */
    private @Nullable Seen inVain;

    /** Whether another one may be worth it although nobody has used the heap since. */
    private boolean looksAgain;

    /** What objects filled at the last look; guarded by the lock. */
    private long filledThen;

    /** What had come and gone at the last look whether the heap rests; guarded as the next is. */
    private long usedThen;

    /** Whether that was the same at the look before, and is still; guarded by the lock. */
    private boolean rests;

    /** Whether enough died for the background to look, and nobody has waked it. */
    private volatile boolean isDue;

    /** Whether the heap's memory was given up; guarded by the lock. */
    private boolean ended;

    /**
     * A compactor at rest, of the heap whose cycles these are.
     *
     * @param share of one processor in the background; 0 for none
     * @param threads where it works by itself, and where room is made
     */
    Compactor(
            Cycle cycle,
            Allocator allocator,
            TableCompaction table,
            double share,
            HeapThreads threads) {
        this.cycle = cycle;
        this.regions = cycle.regions();
        this.allocator = allocator;
        this.toSpace = cycle.toSpace();
        this.table = table;
        this.pages = cycle.pages();
        this.counts = cycle.counts();
        this.room = new RoomMaker(this, threads.room());
        this.byItself = share > 0;
        this.throttle = new Throttle(byItself ? share : 1, counts);
        this.task = threads.compaction().task(this::tick, PERIOD_NANOS);
        this.waiting = threads.compaction().task(this::lookWhileWaiting, WAITING_NANOS);
        this.uncommitting = threads.compaction().task(this::lookWhetherItRests, pages.restNanos);
    }

    /**
     * An object died whose header is there still: to be called inside the access gate, by who calls
     * {@link #wakeIfDue} when he has left it.
     */
    void died(long address) {
        Region region = regions.map.at(address);
        long footprint = ObjectLayout.footprint(ObjectLayout.sizeBytes(address));
        if (region.type == RegionType.LARGE) {
            footprint += Long.BYTES;
        }
        long deadBytes = region.died(footprint);
        boolean isWorthIt =
                deadBytes >= region.bytes() / CompactionPolicy.REGION_PART
                        || region.liveBytes() == 0;
        if (byItself && isWorthIt && task.isToBeWoken()) {
            isDue = true;
        }
    }

    /**
     * Wakes the background if something died for which it is to look: outside of the access gate,
     * since that may take a lock and start a thread.
     */
    void wakeIfDue() {
        if (isDue) {
            isDue = false; // first: what dies from now on is said again
            task.wake();
        }
    }

    /**
     * The thread that compacts waits for readers, with the lock, for which the background may wait:
     * so other heaps get another thread. Called now and then.
     */
    void heldUp() {
        task.heldUp();
        waiting.heldUp();
        uncommitting.heldUp();
        room.task.heldUp();
    }

    /** Does what is worth it; returns whether to look again soon. */
    private boolean tick() {
        uncommitting.wake(); // looks a while later
        try (EventHold _ = hold()) {
            synchronized (lock) {
                boolean again = tickLocked();
                if (rests) {
                    usedThen = regions.usedBytes(); // what was copied was not used
                }
                return again;
            }
        }
    }

    /** Gives back what is not needed of a heap that rests, and has it compacted further, once. */
    boolean lookWhetherItRests() {
        boolean more = pages.uncommitUnneeded();
        synchronized (lock) {
            boolean rested = rests;
            long used = regions.usedBytes();
            rests = used == usedThen;
            usedThen = used;
            if (rests && !rested) {
                task.wake();
            }
            return more || !rests;
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

    private boolean tickLocked() {
        if (ended) {
            return false;
        }
        cycle.recover();
        rests &= regions.usedBytes() == usedThen;
        boolean collected = collect() > 0;
        if (throttle.isResting()) {
            waiting.wake();
            return false;
        }
        if (!collected) {
            CompactionPolicy.Room there = toSpace.room();
            allocator.retireCurrent(
                    region -> region.deadBytes() > region.bytes() / 2 && there.holds(region));
        }
        boolean more = cycleIfWorthIt();
        // Once it has asked others for room, it waits until there is some.
        boolean waits = table.lacksRoom && table.isWanted() && !pages.hasRoom(TablePages.BYTES);
        boolean done = waits || table.run(throttle, throttle::isLeft, false);
        boolean retires = !collected && !more && CompactionPolicy.isWorthRetiring(regions.list());
        if (retires || table.lacksRoom) {
            waiting.wake();
        }
        return collected || more || !done;
    }

    /**
     * Returns whether there was a cycle that was not in vain. One in vain, since objects were being
     * changed or copies had no room, is tried again after a while; where nothing has changed,
     * seldom, or not before something has.
     */
    private boolean cycleIfWorthIt() {
        long sinceVain = System.nanoTime() - inVainAt;
        if (sinceVain < Math.min(deferralNanos, DEFERRAL_MOST_NANOS)) {
            waiting.wake();
            return false;
        }
        Seen now = see();
        if (now.gainMax == 0) {
            return false;
        }
        if (sinceVain < deferralNanos && now.equals(inVain)) {
            if (looksAgain) {
                waiting.wake();
            }
            return false;
        }
        long cycles = counts.cycles.get();
        int part = CompactionPolicy.REGION_PART;
        boolean saves = runSparsest(part, now.gainMax, false, throttle::isLeft);
        boolean isNone = counts.cycles.get() == cycles;
        if (saves || (!isNone && throttle.isLeft())) {
            deferralNanos = 0;
            return true;
        }
        inVainAt = System.nanoTime();
        deferralNanos = Math.clamp(2 * deferralNanos, DEFERRAL_LEAST_NANOS, SAME_MOST_NANOS);
        inVain = isNone ? now : see(); // not later than it was chosen: what died since counts
        // Where any region could be copied, more room would not make a difference.
        looksAgain = !isNone || now.room.pageBytes() < RegionType.MEDIUM_32.bytes;
        if (looksAgain) {
            waiting.wake();
        }
        return false;
    }

    /**
     * What decides whether a cycle is worth it.
     *
     * @param usedBytes another number when something was allocated, copied or freed since
     * @param gainMax what it should give back at most
     * @param room what there is to copy to
     */
    private record Seen(long usedBytes, long gainMax, CompactionPolicy.Room room) {}

    private Seen see() {
        long gainMax = CompactionPolicy.gainMax(regions.list(), rests);
        return new Seen(regions.usedBytes(), gainMax, toSpace.room());
    }

    /** A cycle; returns whether the heap wastes less for it. */
    private boolean run(CompactionPolicy.Round round, BooleanSupplier yields) {
        long saved = cycle.run(round, throttle, yields);
        room.roundEnded();
        return saved > 0;
    }

    /** How much compaction may give back of regions, and how much of the table holds no word. */
    long wastedBytes() {
        return regions.sum(CompactionPolicy::wastedBytes) + table.wasteBytes();
    }

    /** Retires regions of a heap that is not used, if it was not at the last look either. */
    private void retireIdle() {
        long filled = regions.sum(Region::filledBytes);
        if (filled == filledThen && CompactionPolicy.isWorthRetiring(regions.list())) {
            retireCurrent(CompactionPolicy::isMostlyDead);
            retireCurrent(CompactionPolicy::isSparse);
        }
        filledThen = filled;
    }

    /**
     * Has regions emptied to which nothing is added, and the background look again, which says
     * whether to wait once more; returns whether it is at it still.
     */
    private boolean lookWhileWaiting() {
        if (throttle.isHurried() || !task.isAsleep()) {
            return true; // does it, or is waiting for readers, perhaps for long
        }
        synchronized (lock) {
            if (!ended) {
                retireIdle();
                task.wake();
            }
            return false;
        }
    }

    private long collect() {
        long givenBack = cycle.collect();
        if (givenBack > 0) {
            room.roundEnded();
        }
        return givenBack;
    }

    /**
     * Compacts until nothing is left that is worth it.
     *
     * @return how many bytes of pages were given back
     */
    long compact() {
        long taken = pages.takenBytes();
        boolean _ =
                expedited(
                        () -> {
                            retireCurrent(Compactor::isDeadOrEmpty);
                            return collect() > 0;
                        });
        int part = CompactionPolicy.REGION_PART_ASKED;
        repeat(() -> runSparsest(part, Long.MAX_VALUE, true, room::isCompacting));
        repeat(() -> !table.run(throttle, room::isCompacting, false));
        boolean _ = expedited(this::makeRoomInTable); // if there was no room for new pages
        return Math.max(0, taken - pages.takenBytes());
    }

    /** As often as it says so; in between others can compact. */
    private void repeat(BooleanSupplier round) {
        boolean more = true;
        for (int i = 0; i < ROUNDS_MAX && more; i++) {
            long start = System.nanoTime();
            while (room.isCompacting() && System.nanoTime() - start < URGENT_NANOS) {
                LockSupport.parkNanos(this, LOOK_NANOS);
            }
            more = expedited(round);
        }
    }

    /**
     * Retires regions that are as said, so that they can be evacuated: not where there is no room
     * for that, since what is left at their ends is for new objects then.
     */
    private void retireCurrent(Predicate<Region> condition) {
        CompactionPolicy.Room there = toSpace.room();
        allocator.retireCurrent(region -> condition.test(region) && there.holds(region));
        toSpace.retireCurrent(
                region -> condition.test(region) && region.liveBytes() <= there.pageBytes());
    }

    /** Empty is one that was opened for an object that has come to lie elsewhere, or to nothing. */
    private static boolean isDeadOrEmpty(Region region) {
        return region.deadBytes() > 0 || region.filledBytes() == 0;
    }

    /** Whether there seems to be room: what was made may be less, or not for new objects. */
    boolean hasRoom(RoomMaker.Wanted wanted) {
        return (pages.hasRoom(wanted.pageBytes())
                        && pages.contiguousBytes(wanted.runBytes()) >= wanted.runBytes())
                || toSpace.hasRest(wanted.restBytes());
    }

    /**
     * Makes room in a heap that is full.
     *
     * @return whether there may be more room, in pages or in regions
     */
    boolean makeRoom(RoomMaker.Wanted wanted) {
        long seen = counts.givenBackBytes.get();
        long taken = pages.takenBytes();
        return expedited(
                () -> {
                    // By others, or by the end of a cycle that failed.
                    boolean gaveBack =
                            counts.givenBackBytes.get() > seen
                                    || pages.takenBytes() < taken
                                    || collect() > 0;
                    boolean made = hasRoom(wanted) || makeRoomByCopying(wanted, taken);
                    // Also if there is room: later there may be no page to rebuild it in.
                    return makeRoomInTable() || made || gaveBack;
                });
    }

    /**
     * Cycle after cycle until there is room. Each takes no more room than there is, and wastes less
     * than before. At last regions are evacuated to which objects are still added: also those of
     * which much is room, since what is wanted does not fit in there.
     *
     * @param takenBefore what the heap had: a page that comes free may be the next reserve only
     * @return whether there is room now, or more than there was
     */
    private boolean makeRoomByCopying(RoomMaker.Wanted wanted, long takenBefore) {
        boolean last = false;
        toSpace.seeToReserve();
        for (int round = 0; round < ROUNDS_MAX && !hasRoom(wanted); round++) {
            if (copiesFor(wanted)) {
                continue;
            }
            if (last) {
                break;
            }
            last = true;
            retireCurrent(Compactor::isDeadOrEmpty);
            CompactionPolicy.Room there = toSpace.room();
            Predicate<Region> roomy =
                    region ->
                            region.filledBytes() <= region.bytes() - region.bytes() / ROOM_PART
                                    && there.holds(region);
            if (allocator.room(roomy) + there.restBytes() >= PageSpace.GRANULE_BYTES) {
                allocator.retireCurrent(roomy); // else a page would be copied to get a page
            }
            long _ = collect();
        }
        return hasRoom(wanted) || pages.takenBytes() < takenBefore;
    }

    /** Returns whether pages of the handle table came free. */
    private boolean makeRoomInTable() {
        if (pages.isShut() || !table.isWorthMuch()) { // there would be no reserve ever after
            return false;
        }
        long taken = pages.takenBytes();
        try {
            toSpace.giveReserve();
            boolean _ = table.run(throttle, () -> false, true);
        } finally {
            long _ = toSpace.end();
        }
        return pages.takenBytes() < taken;
    }

    private boolean copiesFor(RoomMaker.Wanted wanted) {
        CompactionPolicy.Room there = toSpace.room();
        long rest = wanted.restBytes();
        int part = CompactionPolicy.REGION_PART_FULL;
        return run(CompactionPolicy.chooseRest(regions.list(), rest, there), () -> false)
                || runSparsest(part, wanted.pageBytes(), true, () -> false);
    }

    /**
     * A cycle of the sparsest, with a smaller page where none as large is to be had.
     *
     * @param again whether also where a cycle was in vain
     * @return whether the heap wastes less, or the cycle has left what it had begun to others
     */
    private boolean runSparsest(int part, long gainMax, boolean again, BooleanSupplier yields) {
        boolean saves;
        boolean isLeft;
        long cycles = counts.cycles.get();
        long copied = counts.copiedBytes.sum();
        long most = Long.MAX_VALUE;
        do {
            CompactionPolicy.Room there = toSpace.room().upTo(most);
            CompactionPolicy.Round round =
                    CompactionPolicy.sparsest(regions.list(), part, gainMax, there);
            saves = run(round, yields);
            long largest = toSpace.contiguousBytes();
            long half = round.pageBytes() / 2 & -PageSpace.GRANULE_BYTES;
            most = largest < round.pageBytes() ? largest : half;
            isLeft = yields.getAsBoolean() && counts.copiedBytes.sum() != copied;
        } while (!saves && !isLeft && most > 0 && (again || counts.cycles.get() == cycles));
        return saves || isLeft;
    }

    /**
     * Has the heap's memory given up while no cycle is on, and begins none afterwards: the thread
     * that was about to compact would read handles that are gone.
     */
    void end(Runnable giveUp) {
        boolean _ =
                locked(
                        () -> {
                            ended = true;
                            giveUp.run();
                            return false;
                        });
    }

    private boolean expedited(BooleanSupplier work) {
        return locked(() -> !ended && work.getAsBoolean());
    }

    /** Does some work while no cycle is on. */
    boolean locked(BooleanSupplier work) {
        synchronized (throttle) {
            throttle.expediters++;
        }
        try (EventHold _ = hold()) {
            throttle.expedite();
            synchronized (lock) {
                if (!ended) {
                    cycle.recover();
                }
                return work.getAsBoolean();
            }
        } finally {
            synchronized (throttle) {
                throttle.expediters--;
            }
        }
    }

    /**
     * Ends the work in the background for good, and waits for what is being done. Can be called
     * again if it failed.
     */
    void close() {
        synchronized (throttle) {
            throttle.expediters++;
        }
        throttle.expedite();
        waiting.cancel();
        task.cancel();
        uncommitting.cancel();
    }
}
