package io.polder.gate;

import org.jspecify.annotations.Nullable;

import java.lang.ref.WeakReference;

/**
 * One thread as a reader of one gate.
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
 *                                the next begin, or a waiter, finds that
 * }</pre>
 *
 * <p>Its {@link CriticalSection} stands in a slot, or for a virtual thread in an array of its own.
 * Only its thread uses it, until that has ended; then {@link ReaderRegistry} may end the critical
 * section, under its lock.
 *
 * <p>Scopes nest, so a leave belongs to the last enter that succeeded. That is why a depth and a
 * number of scopes given up suffice, also if the gate has been reopened and the thread enters again
 * in a scope that gave up. A caller that keeps what {@link #begin} returned need not rely on that:
 * it is the critical section with the depth of its scope, and its end sets the depth to one less.
 *
 * <p>Invariant: {@code notEnded} names the critical section that stands in the slot, at depth one,
 * iff the thread was about to end that and was cut off.
 *
 * <p>Refers to nothing that refers to a {@link ThreadLocal}: as the value of one it would keep
 * that, and so itself, alive.
 */
abstract sealed class Reader extends Accessor permits SlotReader, CounterReader {
    /** Of a reader without a slot. */
    static final int NO_SLOT = -1;

    private final ClosedState closedState;
    private final long ownerId;
    private final WeakReference<Thread> owner;
    private final int slot;

    /** Where the critical section stands, as {@link Slots} say. */
    final long[] words;

    /** Scopes that are to be left and are not counted any more. */
    private int givenUp;

    // What waiters and statistics have seen, guarded by the lock of the ReaderRegistry.
    private long seenSection;
    private long seenNanos;

    /** A reader that is outside. */
    Reader(Thread owner, ClosedState closedState, Place place, NotEnded list) {
        super(list);
        this.ownerId = owner.threadId();
        this.owner = new WeakReference<>(owner);
        this.closedState = closedState;
        this.slot = place.slot();
        this.words = place.words();
    }

    /**
     * Where a reader keeps its critical section.
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

    /** {@link #begin}, in the reader's thread. Takes effect at its end, or not at all. */
    abstract long beginUnchecked();

    /** {@link #end}, in the reader's thread. */
    abstract void endUnchecked(long section);

    /**
     * Ends the critical section, whatever its depth. For its thread, or once that has ended. If it
     * throws, it has had no effect.
     */
    abstract void endSection();

    @Override
    public final long begin() {
        assert isOf(Thread.currentThread()) : wrongThread();
        return beginUnchecked();
    }

    @Override
    public final void end(long section) {
        assert isOf(Thread.currentThread()) : wrongThread();
        endUnchecked(section);
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
        if (CriticalSection.isInside(Slots.section(words))) {
            endSection();
        }
    }

    @Override
    public final boolean isInside() {
        assert isOf(Thread.currentThread()) : wrongThread();
        return isInsideStill(Slots.section(words));
    }

    /** Whether the thread is inside, and was not cut off when it was about to leave. */
    private boolean isInsideStill(long section) {
        return CriticalSection.isInside(section) && notEnded != CriticalSection.outermost(section);
    }

    /** The same of what stands in its slot now, which another thread may ask. */
    final boolean isInsideStill() {
        return isInsideStill(Slots.sectionAcquire(words));
    }

    /** Takes effect at its end, or not at all. */
    final boolean tryEnterUnchecked() {
        return beginUnchecked() != 0;
    }

    /** Takes one enter back, in the reader's thread. */
    final void leaveUnchecked() {
        long section = Slots.section(words);
        if (CriticalSection.isInside(section)) {
            endUnchecked(section);
        } else {
            leaveGivenUp();
        }
    }

    /** Enters, and waits while the gate is closed. */
    final void enterUnchecked() {
        while (beginUnchecked() == 0) {
            closedState.awaitOpen();
        }
    }

    /** Leaves all scopes, whose {@code leave} will do nothing. */
    final void giveUp() {
        long section = Slots.section(words);
        int depth = isInsideStill(section) ? CriticalSection.depth(section) : 0;
        if (CriticalSection.isInside(section)) {
            endSection();
            givenUp += depth;
        }
    }

    /** Begins a scope in a thread that is inside, or was about to end a critical section. */
    final long beginAgain(long section) {
        if (notEnded == CriticalSection.outermost(section)) {
            endSection();
            return beginUnchecked();
        }
        if (CriticalSection.depth(section) == CriticalSection.DEPTH_MAX) {
            throw new IllegalStateException(
                    "a thread must leave as often as it enters: depth="
                            + CriticalSection.depth(section));
        }
        Slots.setSectionOpaque(words, section + CriticalSection.NESTED);
        return section + CriticalSection.NESTED;
    }

    /** Ends an inner scope, or the critical section with inner scopes that were cut off. */
    final void endOther(long section) {
        if (!CriticalSection.isWithin(section, Slots.section(words))) {
            givenUp = Math.max(0, givenUp - 1); // its scope was given up
        } else if (CriticalSection.depth(section) == 1) {
            endSection();
        } else {
            Slots.setSectionOpaque(words, section - CriticalSection.NESTED);
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
     * Looks at the critical section; the caller holds the lock of {@link ReaderRegistry}.
     *
     * @param now {@link System#nanoTime}
     * @return how long it has been seen, in nanoseconds; -1 if the thread is outside
     */
    final long observeLocked(long now) {
        long section = Slots.sectionAcquire(words);
        if (!isInsideStill(section)) {
            return -1;
        }
        if (!CriticalSection.lasts(seenSection, section)) {
            seenSection = section;
            seenNanos = now;
        }
        return Math.max(0, now - seenNanos);
    }
}
