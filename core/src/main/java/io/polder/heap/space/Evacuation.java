package io.polder.heap.space;

import static io.polder.heap.space.HandleWordLayout.COPYING;
import static io.polder.heap.space.HandleWordLayout.FREE;
import static io.polder.heap.space.HandleWordLayout.LIVE;
import static io.polder.heap.space.HandleWordLayout.PINNED;

import io.polder.gate.Gate;

/**
 * How one object is copied out of a region, by whoever comes first.
 *
 * <pre>{@code
 *                      tryEnter            claim               room            publish
 *   LIVE, at its old  ----------> inside ---------> COPYING ----------> copy -----------> LIVE, at
 *   address                                            |                           its new address
 *                                                      | no room
 *                              PIN:   PINNED, at its old address
 *                              CLOSE: LIVE again; close the gate, which waits for who is inside
 * }</pre>
 *
 * <p><b>What holds.</b> An object has one current copy, the one its word names. Bytes at the old
 * address are changed by nobody once the object is claimed, until it is known that it stays.
 *
 * <p><b>Who wants to change an object</b> calls {@link #settle} inside its visit to the access
 * gate, which gives an address where the object stays during that visit:
 *
 * <ul>
 *   <li>If its region is {@link Region#STABLE}, the address it has: a cycle that begins later waits
 *       for the visit before it copies. The word is read again after the phase, since the cycle may
 *       have ended between the two.
 *   <li>If the region is {@link Region#PREPARING} or {@link Region#FINISHING}, it pins the object:
 *       some may be copying already, or still.
 *   <li>If it is {@link Region#EVACUATING}, it copies the object itself, or waits for one copy.
 *   <li>If the object is pinned already, it counts itself among those who change it there.
 * </ul>
 *
 * <p><b>A pinned object</b> is moved by the cycle as well, when it is claimed and {@link PinCounts}
 * says that nobody is changing it: who has changed it while its region was PREPARING keeps it there
 * for that change and no longer.
 *
 * <p><b>The evacuation gate closed</b> and nobody inside, words in regions that are evacuated are
 * final until the gate is reopened, which is after the cycle's last grace period: so who was
 * refused, and has waited until nobody is inside, may change the object where its word says.
 *
 * <p><b>Waiting.</b> For one copy at most at a time, by {@link Backoff}; never inside the
 * evacuation gate, in which nothing blocks but for a page to copy to.
 *
 * <p><b>Errors</b> between claim and publication leave the object pinned.
 *
 * <p>Thread-safe.
 */
final class Evacuation {
    /** What became of an attempt to copy. */
    enum Outcome {
        COPIED,
        /** Somebody else was faster, or changes it: the object is copied, pinned or dead. */
        LOST,
        /** There was no room; as the policy says. */
        NO_ROOM,
        /** The gate is closed. */
        REFUSED
    }

    private final HandleTable table;
    private final RegionMap regions;
    private final ToSpace toSpace;
    private final Gate gate;
    private final OutOfMemoryPolicy policy;
    private final EvacuationCounts counts;

    /** Whether a cycle is on; written by the cycle. */
    private volatile boolean underWay;

    /** Of the cycle that is on, or of the last one; written by the cycle, before {@link #underWay}. */
    private volatile PinCounts pins = new PinCounts();

    Evacuation(
            HandleTable table,
            RegionMap regions,
            ToSpace toSpace,
            HeapSettings settings,
            EvacuationCounts counts) {
        this.table = table;
        this.regions = regions;
        this.toSpace = toSpace;
        this.gate = settings.gate().open();
        this.policy = settings.outOfMemory();
        this.counts = counts;
    }

    Gate gate() {
        return gate;
    }

    /** Whether objects may be moving: to be asked before the word of an object is read. */
    boolean isUnderWay() {
        return underWay;
    }

    /** Who changes pinned objects: to be asked after {@link #isUnderWay}. */
    PinCounts pins() {
        return pins;
    }

    /** To be called before a cycle begins. */
    void setPins(PinCounts fresh) {
        pins = fresh;
    }

    void setUnderWay(boolean underWay) {
        this.underWay = underWay;
    }

    /**
     * Sees to it that an object stays where it is until the running thread has changed it.
     *
     * @param counted if the word is of the object and PINNED, it is counted here, once, and the
     *     caller takes that back when it has changed the object
     * @return its word; FREE, or of another generation, if it is not there any more
     */
    long settle(long index, int generation, PinCounts counted) {
        long start = System.nanoTime();
        long word = settleWaiting(index, generation, counted);
        counts.longestWaitNanos.accumulate(System.nanoTime() - start);
        return word;
    }

    private long settleWaiting(long index, int generation, PinCounts counted) {
        int spins = 0;
        while (true) {
            long word = table.word(index);
            if (!HandleWordLayout.names(word, generation)) {
                return word;
            }
            switch (HandleWordLayout.state(word)) {
                case PINNED -> {
                    counted.enter(index);
                    if (table.word(index) == word) { // after the count: see PinCounts
                        return word;
                    }
                    counted.leave(index);
                }
                case COPYING -> spins = Backoff.pause(spins);
                default -> {
                    long settled = settleLive(index, word);
                    if (settled != 0) {
                        return settled;
                    }
                }
            }
        }
    }

    /** Returns the word with which the object stays where it is; 0 to look again. */
    private long settleLive(long index, long word) {
        Region region = regions.at(HandleWordLayout.address(word));
        switch (region.phase()) {
            case Region.STABLE -> {
                return table.word(index) == word ? word : 0;
            }
            case Region.EVACUATING -> {
                if (copyInGate(index, word, region) == Outcome.REFUSED) {
                    gate.close();
                    return table.word(index) == word ? word : 0;
                }
                return 0;
            }
            default -> {
                pin(index, word);
                return 0;
            }
        }
    }

    private void pin(long index, long word) {
        if (table.compareAndSet(index, word, HandleWordLayout.inState(word, PINNED))) {
            counts.pinnedObjects.increment();
        }
    }

    private Outcome copyInGate(long index, long word, Region region) {
        Outcome outcome = evacuate(index, word, region);
        if (outcome == Outcome.COPIED) {
            counts.helpedObjects.increment();
        }
        return outcome;
    }

    /**
     * Copies an object out of its region, if its word is what it was; one that is PINNED only if
     * nobody is changing it.
     *
     * @param word what its word was
     */
    Outcome evacuate(long index, long word, Region region) {
        if (!gate.tryEnter()) {
            return Outcome.REFUSED;
        }
        try {
            Outcome outcome = evacuateInside(index, word, region);
            if (outcome == Outcome.NO_ROOM && policy == OutOfMemoryPolicy.CLOSE) {
                gate.closeFromInside();
            }
            return outcome;
        } finally {
            gate.leave();
        }
    }

    private Outcome evacuateInside(long index, long word, Region region) {
        long copying = HandleWordLayout.inState(word, COPYING);
        if (!table.compareAndSet(index, word, copying)) {
            return Outcome.LOST;
        }
        long next = HandleWordLayout.inState(word, PINNED); // should anything be thrown
        try {
            if (HandleWordLayout.state(word) == PINNED && !pins.awaitNone(index)) {
                return Outcome.LOST;
            }
            long from = HandleWordLayout.address(word);
            long footprint = ObjectLayout.footprint(ObjectLayout.sizeBytes(from));
            long to = toSpace.allocate(Kind.of(footprint), footprint);
            if (to == 0) {
                counts.refusedCopies.increment();
                if (policy == OutOfMemoryPolicy.CLOSE) {
                    next = word;
                }
                return Outcome.NO_ROOM;
            }
            ObjectLayout.copy(from, to, footprint);
            next = HandleWordLayout.movedTo(word, to);
            region.died(footprint);
            counts.copiedObjects.increment();
            counts.copiedBytes.add(footprint);
            return Outcome.COPIED;
        } finally {
            publish(index, copying, next);
        }
    }

    /** Ends a claim. Takes effect for everybody who reads the word from now on. */
    private void publish(long index, long copying, long next) {
        if (!table.compareAndSet(index, copying, next)) {
            throw new AssertionError(
                    "a claimed object is changed by its claimant only: claimed="
                            + HandleWordLayout.describe(copying)
                            + ", found="
                            + HandleWordLayout.describe(table.word(index)));
        }
    }

    /**
     * Copies what is alive in a region, one object after the other.
     *
     * @param pace lets others run in between
     * @return whether to go on with other regions
     */
    boolean evacuateRegion(Region region, Pace pace) {
        int noRoom = 0;
        for (long at = region.address(); at < region.endOfObjects(); ) {
            long footprint = ObjectLayout.footprint(ObjectLayout.sizeBytes(at));
            long index = ObjectLayout.index(at);
            long word = table.word(index);
            if (isMovable(word) && HandleWordLayout.address(word) == at) {
                switch (evacuate(index, word, region)) {
                    case COPIED -> noRoom = 0;
                    case LOST -> {}
                    case NO_ROOM -> noRoom++;
                    case REFUSED -> {
                        return false;
                    }
                }
                if (noRoom > NO_ROOM_MAX) {
                    return false;
                }
                pace.did(footprint);
            }
            at += footprint;
        }
        return true;
    }

    private static boolean isMovable(long word) {
        int state = HandleWordLayout.state(word);
        return state == LIVE || state == PINNED;
    }

    /** In a row: then it is no accident. */
    private static final int NO_ROOM_MAX = 16;

    /** Makes objects movable again that stayed in a region. */
    void unpin(Region region) {
        for (long at = region.address(); at < region.endOfObjects(); ) {
            long index = ObjectLayout.index(at);
            long word = table.word(index);
            if (HandleWordLayout.state(word) == PINNED && HandleWordLayout.address(word) == at) {
                // In vain if it is freed meanwhile.
                boolean _ = table.compareAndSet(index, word, HandleWordLayout.inState(word, LIVE));
            }
            at += ObjectLayout.footprint(ObjectLayout.sizeBytes(at));
        }
    }

    /**
     * Frees an object.
     *
     * @return its word before; FREE, or of another generation, if it is not there any more
     */
    long free(long index, int generation) {
        int spins = 0;
        while (true) {
            long word = table.word(index);
            if (!HandleWordLayout.names(word, generation)) {
                return word;
            }
            if (HandleWordLayout.state(word) == COPYING) {
                spins = Backoff.pause(spins);
            } else if (table.compareAndSet(index, word, HandleWordLayout.free(generation))) {
                return word;
            }
        }
    }

    static boolean isFree(long word) {
        return HandleWordLayout.state(word) == FREE;
    }
}
