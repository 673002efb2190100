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
 * }</pre>
 *
 * <p>Its {@link Visit} stands in a slot, or for a virtual thread in an array of its own. Only its
 * thread uses it, until that has ended; then {@link Visitors} may end the visit, under its lock.
 *
 * <p>Scopes nest, so a leave belongs to the last enter that succeeded. That is why a depth and a
 * number of scopes given up suffice, also if the gate has been reopened and the thread enters again
 * in a scope that gave up.
 *
 * <p>Refers to nothing that refers to a {@link ThreadLocal}: as the value of one it would keep
 * that, and so itself, alive.
 */
abstract sealed class Visitor implements Accessor permits SlotVisitor, CounterVisitor {
    /** Of a visitor without a slot. */
    static final int NO_SLOT = -1;

    private final Door door;
    private final long ownerId;
    private final WeakReference<Thread> owner;
    private final int slot;

    /** Where the visit stands. */
    final long[] words;

    /** Where in the words. */
    final int at;

    /** Scopes that are to be left and are not counted any more. */
    private int givenUp;

    // What those who look at visits have seen, guarded by the lock of Visitors.
    private long seenVisit;
    private long seenNanos;

    /** A visitor outside. */
    Visitor(Thread owner, Door door, Place place) {
        this.ownerId = owner.threadId();
        this.owner = new WeakReference<>(owner);
        this.door = door;
        this.slot = place.slot();
        this.words = place.words();
        this.at = place.at();
    }

    /**
     * Where a visitor keeps its visit.
     *
     * @param slot its number, or {@link #NO_SLOT}
     * @param words what it lies in
     * @param at where in there
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Place(int slot, long[] words, int at) {
        /** A place that nobody else knows. */
        static Place ofItsOwn() {
            return new Place(NO_SLOT, new long[1], 0);
        }
    }

    /** Begins a visit or enters once more, in the visitor's thread. */
    abstract boolean tryEnterUnchecked();

    /** Takes one enter back, in the visitor's thread. */
    abstract void leaveUnchecked();

    /** Ends the visit, whatever its depth. For its thread, or once that has ended. */
    abstract void endVisit();

    @Override
    public final boolean tryEnter() {
        checkThread();
        return tryEnterUnchecked();
    }

    @Override
    public final void enter() {
        checkThread();
        enterUnchecked();
    }

    @Override
    public final void leave() {
        checkThread();
        leaveUnchecked();
    }

    @Override
    public final boolean isInside() {
        checkThread();
        return Visit.isInside(Slots.visit(words, at));
    }

    /** Enters, and waits while the gate is closed. */
    final void enterUnchecked() {
        while (!tryEnterUnchecked()) {
            door.awaitOpen();
        }
    }

    /** Leaves all scopes, whose {@code leave} will do nothing. */
    final void giveUp() {
        int depth = Visit.depth(Slots.visit(words, at));
        if (depth != 0) {
            endVisit();
            givenUp += depth;
        }
    }

    /** Enters a thread that is inside. */
    final boolean enterAgain(long visit) {
        if (Visit.depth(visit) == Visit.DEPTH_MAX) {
            throw new IllegalStateException(
                    "a thread must leave as often as it enters: depth=" + Visit.depth(visit));
        }
        Slots.setVisitOpaque(words, at, visit + Visit.ONCE);
        return true;
    }

    /** Takes back an enter that is not the last one of a visit. */
    final void leaveInner(long visit) {
        if (Visit.isInside(visit)) {
            Slots.setVisitOpaque(words, at, visit - Visit.ONCE);
        } else if (givenUp > 0) {
            givenUp--;
        } else {
            throw new IllegalStateException(
                    "leave must follow enter in the same thread: thread=" + Thread.currentThread());
        }
    }

    private void checkThread() {
        if (Thread.currentThread().threadId() != ownerId) {
            throw new WrongThreadException(
                    "attempted access outside owning thread: owner=" + ownerId);
        }
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
        long visit = Slots.visitAcquire(words, at);
        if (!Visit.isInside(visit)) {
            return -1;
        }
        if (!Visit.lasts(seenVisit, visit)) {
            seenVisit = visit;
            seenNanos = now;
        }
        return Math.max(0, now - seenNanos);
    }
}
