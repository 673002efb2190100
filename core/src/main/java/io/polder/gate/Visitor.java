package io.polder.gate;

import org.jspecify.annotations.Nullable;

import java.lang.ref.WeakReference;

/**
 * What one thread knows of its visits to one gate.
 *
 * <pre>{@code
 *               tryEnter                 enter again
 *   outside  ------------->  inside  <--------------->  inside, deeper
 *    ^    ^      leave          |          leave             |
 *    |    +---------------------+                            |
 *    |                          +-------- giveUp ------------+
 *    |    leave, of each scope           |
 *    +---------------------------  outside, in scopes that gave up
 *
 *   inside  --an end cut off-->  notEnded: outside, and counted as inside still, until
 *                                the next begin, or who waits, finds that
 * }</pre>
 *
 * <p>Its {@link Visit} stands in a slot, or for a virtual thread in an array of its own. Only its
 * thread uses it, until that has ended; then {@link Visitors} may end the visit, under its lock.
 *
 * <p>Scopes nest, so a leave belongs to the last enter that succeeded. That is why a depth and a
 * number of scopes given up suffice, also if the gate has been reopened and the thread enters again
 * in a scope that gave up. Who keeps what {@link #begin} returned need not rely on that: it is the
 * visit with the depth of its scope, and its end sets the depth to one less.
 *
 * <p>Invariant: {@code notEnded} names the visit that stands in the slot, at depth one, iff that
 * was to be ended and is not.
 *
 * <p>Refers to nothing that refers to a {@link ThreadLocal}: as the value of one it would keep
 * that, and so itself, alive.
 */
abstract sealed class Visitor extends Accessor permits SlotVisitor, CounterVisitor {
    /** Of a visitor without a slot. */
    static final int NO_SLOT = -1;

    private final Door door;
    private final long ownerId;
    private final WeakReference<Thread> owner;
    private final int slot;

    /** Where the visit stands, as {@link Slots} say. */
    final long[] words;

    /** Scopes that are to be left and are not counted any more. */
    private int givenUp;

    // What those who look at visits have seen, guarded by the lock of Visitors.
    private long seenVisit;
    private long seenNanos;

    /** A visitor outside. */
    Visitor(Thread owner, Door door, Place place, NotEnded list) {
        super(list);
        this.ownerId = owner.threadId();
        this.owner = new WeakReference<>(owner);
        this.door = door;
        this.slot = place.slot();
        this.words = place.words();
    }

    /**
     * Where a visitor keeps its visit.
     *
     * @param slot its number, or {@link #NO_SLOT}
     * @param words the slot
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Place(int slot, long[] words) {
        /** A place that nobody else knows. */
        static Place ofItsOwn() {
            return new Place(NO_SLOT, Slots.unshared());
        }
    }

    /** {@link #begin}, in the visitor's thread. Takes effect at its end, or not at all. */
    abstract long beginUnchecked();

    /** {@link #end}, in the visitor's thread. */
    abstract void endUnchecked(long visit);

    /**
     * Ends the visit, whatever its depth. For its thread, or once that has ended. If it throws, it
     * has had no effect.
     */
    abstract void endVisit();

    @Override
    public final long begin() {
        assert isOf(Thread.currentThread()) : wrongThread();
        return beginUnchecked();
    }

    @Override
    public final void end(long visit) {
        assert isOf(Thread.currentThread()) : wrongThread();
        endUnchecked(visit);
    }

    @Override
    public final boolean tryEnter() {
        assert isOf(Thread.currentThread()) : wrongThread();
        return tryEnterUnchecked();
    }

    @Override
    public final void enter() {
        assert isOf(Thread.currentThread()) : wrongThread();
        enterUnchecked();
    }

    @Override
    public final void leave() {
        assert isOf(Thread.currentThread()) : wrongThread();
        leaveUnchecked();
    }

    @Override
    public final void leaveOutermost() {
        assert isOf(Thread.currentThread()) : wrongThread();
        leaveUnchecked();
        if (Visit.isInside(Slots.visit(words))) {
            endVisit();
        }
    }

    @Override
    public final boolean isInside() {
        assert isOf(Thread.currentThread()) : wrongThread();
        return isInsideStill(Slots.visit(words));
    }

    /** Whether the thread is in a visit, and was not cut off when it was about to end it. */
    private boolean isInsideStill(long visit) {
        return Visit.isInside(visit) && notEnded != Visit.outermost(visit);
    }

    /** The same of what stands in its slot now, which another thread may ask. */
    final boolean isInsideStill() {
        return isInsideStill(Slots.visitAcquire(words));
    }

    /** Takes effect at its end, or not at all. */
    final boolean tryEnterUnchecked() {
        return beginUnchecked() != 0;
    }

    /** Takes one enter back, in the visitor's thread. */
    final void leaveUnchecked() {
        long visit = Slots.visit(words);
        if (Visit.isInside(visit)) {
            endUnchecked(visit);
        } else {
            leaveGivenUp();
        }
    }

    /** Enters, and waits while the gate is closed. */
    final void enterUnchecked() {
        while (beginUnchecked() == 0) {
            door.awaitOpen();
        }
    }

    /** Leaves all scopes, whose {@code leave} will do nothing. */
    final void giveUp() {
        long visit = Slots.visit(words);
        int depth = isInsideStill(visit) ? Visit.depth(visit) : 0;
        if (Visit.isInside(visit)) {
            endVisit();
            givenUp += depth;
        }
    }

    /** Begins a scope in a thread that is inside, or was about to end a visit. */
    final long beginAgain(long visit) {
        if (notEnded == Visit.outermost(visit)) {
            endVisit();
            return beginUnchecked();
        }
        if (Visit.depth(visit) == Visit.DEPTH_MAX) {
            throw new IllegalStateException(
                    "a thread must leave as often as it enters: depth=" + Visit.depth(visit));
        }
        Slots.setVisitOpaque(words, visit + Visit.ONCE);
        return visit + Visit.ONCE;
    }

    /** Ends a scope within the visit, or the visit with scopes in it that were cut off. */
    final void endOther(long visit) {
        if (!Visit.isWithin(visit, Slots.visit(words))) {
            givenUp = Math.max(0, givenUp - 1); // its scope was given up
        } else if (Visit.depth(visit) == 1) {
            endVisit();
        } else {
            Slots.setVisitOpaque(words, visit - Visit.ONCE);
        }
    }

    private void leaveGivenUp() {
        if (givenUp > 0) {
            givenUp--;
        } else {
            throw new IllegalStateException(
                    "leave must follow enter in the same thread: thread=" + Thread.currentThread());
        }
    }

    private String wrongThread() {
        return "an accessor belongs to the thread that asked for it: owner="
                + ownerId
                + ", thread="
                + Thread.currentThread();
    }

    /** Whether it is that of this thread. */
    final boolean isOf(Thread thread) {
        return thread.threadId() == ownerId;
    }

    final long ownerId() {
        return ownerId;
    }

    final int slot() {
        return slot;
    }

    /** Whether its thread has run for the last time. May be asked by any thread. */
    final boolean ended() {
        Thread thread = owner.get();
        return thread == null || !thread.isAlive();
    }

    final @Nullable Thread owner() {
        return owner.get();
    }

    /**
     * Looks at the visit; the caller holds the lock of {@link Visitors}.
     *
     * @param now {@link System#nanoTime}
     * @return how long this visit has been seen, in nanoseconds; -1 if the thread is outside
     */
    final long observeLocked(long now) {
        long visit = Slots.visitAcquire(words);
        if (!isInsideStill(visit)) {
            return -1;
        }
        if (!Visit.lasts(seenVisit, visit)) {
            seenVisit = visit;
            seenNanos = now;
        }
        return Math.max(0, now - seenNanos);
    }
}
