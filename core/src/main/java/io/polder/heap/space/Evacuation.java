package io.polder.heap.space;

import static io.polder.heap.space.HandleWordLayout.FREE;
import static io.polder.heap.space.HandleWordLayout.LIVE;
import static io.polder.heap.space.HandleWordLayout.PINNED;
import static io.polder.heap.space.HandleWordLayout.UNPINNED;

import io.polder.gate.Gate;
import io.polder.gate.Gate.Operation;
import io.polder.heap.EvacuationFailurePolicy;

import org.jspecify.annotations.Nullable;

/**
 * How one object is copied out of a region, by the thread that comes first.
 *
 * <pre>{@code
 *                      begin              room             copy, publish
 *   LIVE, at its old  ----------> inside ------> LIVE ------------------> LIVE, at its new address
 *   address                                       |
 *                                                 | no room
 *                              PIN:   PINNED, at its old address
 *                              CLOSE: LIVE; close the gate, which waits for readers
 * }</pre>
 *
 * <p><b>The word is the forwarding pointer</b> of its object: it stands in the handle table and not
 * in the object, as it does in Shenandoah. Nobody claims an object. Several threads may copy it at
 * the same time, each to room of its own; the compare-and-set that publishes decides, and the
 * copies of the others are dead. So nobody waits for another thread's copy, and one that is cut
 * off, or loses the processor, holds nobody up.
 *
 * <p><b>What holds.</b> An object has one current copy, the one its word names. While its region is
 * EVACUATING and its word is LIVE, nobody changes its bytes: a thread that wants to has to copy it
 * first, or to pin it.
 *
 * <p><b>The old copy is counted dead</b> after the word was published. A region all of whose
 * objects are counted dead is given back after a grace period; so by then no thread can have found
 * one of them that was not inside before.
 *
 * <p><b>The write barrier.</b> A thread that wants to change an object calls {@link #writeBarrier}
 * inside the access gate. It makes the object stay where it is as long as the thread is inside:
 *
 * <ul>
 *   <li>If the region is {@link Region#STABLE}, at the address it has: a cycle that begins later
 *       waits for the thread before it copies. The word is read again after the phase, since the
 *       cycle may have ended between the two.
 *   <li>If the region is {@link Region#PREPARING} or {@link Region#FINISHING}, the thread pins the
 *       object: others may be copying already, or still.
 *   <li>If it is {@link Region#EVACUATING}, the thread copies the object itself: copy before
 *       update.
 *   <li>If the object is pinned already, the thread counts itself among those that change it there.
 * </ul>
 *
 * <p><b>A pinned object</b> is moved by the cycle as well, if {@link PinCounts} says that nobody is
 * changing it: a thread that has changed it while its region was PREPARING keeps it there for that
 * change and no longer. The cycle makes its word UNPINNED, so that nobody begins to change it in
 * place, and then looks; from then on it is copied like one that is LIVE, by the thread that finds
 * that nobody is changing it. UNPINNED is another state than LIVE, and the cycle makes an object
 * UNPINNED once: so a thread that began to copy an object before it was pinned and changed does not
 * publish that copy.
 *
 * <p><b>The evacuation gate closed</b> and nobody inside, words in the collection set are final
 * until the gate is reopened, which is after the cycle's last grace period: so a thread that was
 * refused, and has waited until nobody is inside, may change the object where its word says.
 *
 * <p><b>There is an evacuation gate</b> under the policy CLOSE only: under PIN nobody would close
 * it, and threads copy without passing one.
 *
 * <p><b>Waiting.</b> Inside the evacuation gate nothing blocks but for a page to copy to.
 *
 * <p><b>Failure.</b> An error before the word is published leaves the object as it was. Room that
 * was taken for the copy, and an old copy that was not counted, are found by the next cycle that
 * evacuates their region.
 *
 * <p>Thread-safe.
 */
final class Evacuation {
    /** What became of an attempt to copy. */
    enum Outcome {
        COPIED,
        /** Another thread was faster, or changes it: the object is copied, pinned or dead. */
        LOST,
        /** There was no room; as the policy says. */
        NO_ROOM,
        /** The gate is closed. */
        REFUSED
    }

    private static final Operation<Evacuation, Candidate, Outcome> PASS =
            (evacuation, index, candidate) -> {
                Outcome outcome =
                        evacuation.evacuateInside(index, candidate.word, candidate.region);
                if (outcome == Outcome.NO_ROOM) {
                    candidate.gate.closeFromInside();
                }
                return outcome;
            };

    private final HandleTable table;
    private final RegionMap regions;
    private final ToSpace toSpace;

    /** The evacuation gate; null if the policy never closes it, and nobody needs to pass one. */
    final @Nullable Gate gate;

    private final EvacuationCounts counts;

    /**
     * Whether a cycle is on, and objects may be moving; written by the cycle, and to be read before
     * the word of an object.
     */
    volatile boolean underWay;

    /**
     * Who changes pinned objects, in the cycle that is on or the last one; written by the cycle
     * before {@link #underWay}, and to be read after it.
     */
    volatile PinCounts pins = new PinCounts();

    /** Written so that the compiler does not leave out loads whose results nobody uses. */
    @SuppressWarnings("UnusedVariable")
    private long loaded;

    Evacuation(
            HandleTable table,
            RegionMap regions,
            ToSpace toSpace,
            HeapSettings settings,
            EvacuationCounts counts) {
        this.table = table;
        this.regions = regions;
        this.toSpace = toSpace;
        boolean closes = settings.options().evacuationFailure() == EvacuationFailurePolicy.CLOSE;
        this.gate = closes ? new Gate(settings.fence()) : null;
        this.counts = counts;
    }

    /** Opens the evacuation gate again, if it was closed. */
    void reopen() {
        if (gate != null && gate.isClosed()) {
            gate.reopen();
        }
    }

    /**
     * The write barrier: returns when the object stays where it is until the running thread has
     * changed it.
     *
     * @param counted if the word is of the object and PINNED, it is counted here, once, and the
     *     caller takes that back when it has changed the object
     * @return its word; FREE, or of another generation, if it is not there any more
     */
    long writeBarrier(long index, int generation, PinCounts counted) {
        long start = System.nanoTime();
        long word = resolve(index, generation, counted);
        counts.longestWaitNanos.accumulate(System.nanoTime() - start);
        return word;
    }

    private long resolve(long index, int generation, PinCounts counted) {
        while (true) {
            long word = table.word(index);
            if (!HandleWordLayout.names(word, generation)) {
                return word;
            }
            if (HandleWordLayout.state(word) == PINNED) {
                counted.enter(index);
                if (table.word(index) == word) { // after the count: see PinCounts
                    return word;
                }
                counted.leave(index);
            } else {
                long resolved = resolveMovable(index, word);
                if (resolved != 0) {
                    return resolved;
                }
            }
        }
    }

    /** Returns the word with which the object stays where it is; 0 to look again. */
    private long resolveMovable(long index, long word) {
        Region region = regions.at(HandleWordLayout.address(word));
        int phase = region.phase;
        if (phase == Region.EVACUATING) {
            Outcome outcome = evacuate(index, word, region);
            if (outcome == Outcome.COPIED) {
                counts.helpedObjects.increment();
            }
            if (outcome != Outcome.REFUSED || gate == null) {
                return 0;
            }
            counts.waitsForCopies.increment();
            gate.close();
        } else if (phase != Region.STABLE) {
            pin(index, word);
            return 0;
        }
        return table.word(index) == word ? word : 0;
    }

    private void pin(long index, long word) {
        if (table.compareAndSet(index, word, HandleWordLayout.inState(word, PINNED))) {
            counts.pinnedObjects.increment();
        }
    }

    /**
     * Copies an object out of its region, if its word is what it was; one that is PINNED only if
     * nobody is changing it.
     *
     * @param word what its word was
     */
    Outcome evacuate(long index, long word, Region region) {
        if (gate == null) {
            return evacuateInside(index, word, region);
        }
        Candidate candidate = new Candidate(gate, word, region);
        return gate.inside(PASS, this, index, candidate, () -> Outcome.REFUSED);
    }

    /** What one wants to copy through a gate. */
    private record Candidate(Gate gate, long word, Region region) {}

    private Outcome evacuateInside(long index, long word, Region region) {
        if (table.word(index) != word) {
            return Outcome.LOST;
        }
        long movable = word;
        if (HandleWordLayout.state(word) == PINNED) {
            movable = HandleWordLayout.inState(word, UNPINNED);
            if (!table.compareAndSet(index, word, movable)) {
                return Outcome.LOST;
            }
        }
        if (HandleWordLayout.state(movable) == UNPINNED && !pins.awaitNone(index)) {
            pin(index, movable);
            return Outcome.LOST;
        }
        return copy(index, movable, region);
    }

    /** Copies an object that nobody changes as long as its word is this one. */
    private Outcome copy(long index, long word, Region region) {
        long from = HandleWordLayout.address(word);
        long bytes = ObjectLayout.sizeBytes(from);
        long footprint = ObjectLayout.footprint(bytes);
        long header = ObjectLayout.header(bytes, index);
        long to = toSpace.allocate(footprint, header);
        if (to == 0) {
            counts.refusedCopies.increment();
            if (gate == null) {
                pin(index, word);
            }
            return Outcome.NO_ROOM;
        }
        ObjectLayout.copyContent(from, to, footprint);
        long moved = HandleWordLayout.movedTo(word, to);
        // Takes effect for everybody who reads the word from now on.
        boolean published = table.compareAndSet(index, word, moved);
        Region left = published ? region : regions.at(to);
        long _ = left.died(footprint); // after it was published: see above
        if (!published) {
            return Outcome.LOST;
        }
        counts.copiedObjects.increment();
        counts.copiedBytes.add(footprint);
        return Outcome.COPIED;
    }

    /**
     * Copies what is alive in a region, one object after the other.
     *
     * @param throttle lets others run in between
     * @return whether to go on with other regions
     */
    boolean evacuateRegion(Region region, Throttle throttle) {
        int noRoom = 0;
        long dead = 0;
        long end = region.endOfObjects();
        long ahead = region.address();
        for (long at = ahead; at < end; ) {
            if (at == ahead) {
                ahead = loadWords(at, end);
            }
            long footprint = ObjectLayout.footprint(ObjectLayout.sizeBytes(at));
            long index = ObjectLayout.index(at);
            long word = table.word(index);
            boolean stays = names(word, at);
            if (stays) {
                Outcome outcome = evacuate(index, word, region);
                if (outcome == Outcome.NO_ROOM) {
                    noRoom++;
                } else if (outcome == Outcome.COPIED) {
                    noRoom = 0;
                }
                if (outcome == Outcome.REFUSED || noRoom > NO_ROOM_MAX) {
                    return false;
                }
                stays = outcome != Outcome.COPIED && names(table.word(index), at);
                throttle.did(footprint);
            }
            dead += stays ? 0 : Region.pack(footprint);
            at += footprint;
        }
        region.deadByWords = dead;
        return true;
    }

    /**
     * Loads the words of the next objects, so that their cache misses overlap.
     *
     * @return the address of the first object whose word was not loaded
     */
    private long loadWords(long from, long end) {
        long at = from;
        long all = 0;
        for (int i = 0; i < AHEAD && at < end; i++) {
            all |= table.word(ObjectLayout.index(at));
            at += ObjectLayout.footprint(ObjectLayout.sizeBytes(at));
        }
        loaded = all;
        return at;
    }

    /** Whether the object of a slot is the one at an address. */
    static boolean names(long word, long address) {
        return HandleWordLayout.state(word) != FREE && HandleWordLayout.address(word) == address;
    }

    /** In a row: then it is no accident. */
    private static final int NO_ROOM_MAX = 16;

    /** More misses than a processor has at a time, and fewer words than the nearest cache holds. */
    private static final int AHEAD = 32;

    /** Makes objects movable again that stayed in a region. */
    void unpin(Region region) {
        for (long at = region.address(); at < region.endOfObjects(); ) {
            long index = ObjectLayout.index(at);
            long word = table.word(index);
            int state = HandleWordLayout.state(word);
            if (names(word, at) && (state == PINNED || state == UNPINNED)) {
                // In vain if it is freed meanwhile.
                boolean _ = table.compareAndSet(index, word, HandleWordLayout.inState(word, LIVE));
            }
            at += ObjectLayout.footprint(ObjectLayout.sizeBytes(at));
        }
    }

    /**
     * Frees an object. If this throws, it has not: nothing is called once the word is free.
     *
     * @return its word before; 0 if it is not there any more
     */
    long free(long index, int generation) {
        while (true) {
            long word = table.word(index);
            if (!HandleWordLayout.names(word, generation)) {
                return 0;
            }
            if (table.compareAndSet(index, word, HandleWordLayout.free(generation))) {
                return word;
            }
        }
    }
}
