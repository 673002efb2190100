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

    /** Where the visit stands, as {@link Slots} say. */
    final long[] words;

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

    /** Begins a visit or enters once more, in the visitor's thread. */
    abstract boolean tryEnterUnchecked();

    /** Takes one enter back, in the visitor's thread. */
    abstract void leaveUnchecked();

    /** Ends the visit, whatever its depth. For its thread, or once that has ended. */
    abstract void endVisit();

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
        return Visit.isInside(Slots.visit(words));
    }

    /** Enters, and waits while the gate is closed. */
    final void enterUnchecked() {
        while (!tryEnterUnchecked()) {
            door.awaitOpen();
        }
    }

    /** Leaves all scopes, whose {@code leave} will do nothing. */
    final void giveUp() {
        int depth = Visit.depth(Slots.visit(words));
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
        Slots.setVisitOpaque(words, visit + Visit.ONCE);
        return true;
    }

    /** Takes back an enter that is not the last one of a visit. */
    final void leaveInner(long visit) {
        if (Visit.isInside(visit)) {
            Slots.setVisitOpaque(words, visit - Visit.ONCE);
        } else if (givenUp > 0) {
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
