package io.polder.gate;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;

/**
 * One thread as a reader of one gate, and its way through that without a look-up.
 *
 * <pre>{@code
 *             begin                       what begin returns is the critical section; in a thread
 *   outside --------> inside              that is inside, it is NESTED: nothing changes then, and
 *      ^                 |                nothing with the end of that
 *      +------ end ------+
 *
 *   inside  --- an end that is cut short --->  notEnded: outside, and counted as inside until the
 *                                              next begin, or a thread that waits, finds that
 * }</pre>
 *
 * <p>Its {@link CriticalSection} stands in a slot, and needs no atomic instruction: the slot is
 * written and then its signals are read. Between the two stands the fence that {@link GracePeriods}
 * explains, one for the compiler only. A virtual thread has a place of its own instead of a slot,
 * whose signals say that the critical section is to be counted in {@link Stripes}.
 *
 * <p>It may be kept, and keeps neither the thread nor the gate's table of readers alive: it refers
 * to nothing that refers to a {@link ThreadLocal}.
 *
 * <p>Invariant: {@code notEnded} is the critical section of the slot iff the thread was about to
 * end that, or had just begun it, and was cut short.
 *
 * <p><b>Only its thread may use it</b>: what it does has no order with what another thread does,
 * and another thread that uses it loses critical sections. Only assertions check this, since each
 * critical section would else look for its thread after all. When the thread has ended, {@link
 * ReaderRegistry} may end the critical section, under its lock.
 *
 * <p><b>Errors.</b> A {@link #begin} that throws leaves the thread outside, or inside as it was. An
 * {@link #end} that throws has had no effect; {@link Gate#inside} ends the critical section
 * nevertheless.
 */
public final class Accessor {
    final long ownerId;
    final WeakReference<Thread> owner;

    /** Where the critical section stands, as {@link Slots} say. */
    final long[] words;

    /** Where critical sections of virtual threads are counted, and who waits for readers. */
    final Stripes stripes;

    private final int stripe;

    /** In which the critical section is counted, if it is. */
    private int phase;

    /** What could not be ended; volatile, so that all that was done inside comes before. */
    volatile long notEnded;

    /** Whether {@link Stripes} know that something could not be ended, so that waiters find it. */
    boolean listed;

    /** The one before in that list. */
    @Nullable Accessor earlier;

    // What waiters and statistics have seen, guarded by the lock of the ReaderRegistry.
    private long seenSection;

    private long seenNanos;

    /**
     * One that is outside.
     *
     * @param words the slot of a platform thread, or the place of a virtual one
     * @param stripes where a virtual one is counted
     */
    Accessor(Thread owner, long[] words, Stripes stripes) {
        this.ownerId = owner.threadId();
        this.owner = new WeakReference<>(owner);
        this.words = words;
        this.stripes = stripes;
        this.stripe = stripes.of(ownerId);
    }

    /**
     * Begins a critical section, or a scope within it, which the gate's being closed does not
     * prevent. Takes effect at its end, or not at all.
     *
     * @return what {@link #end} wants; 0, and not inside, if the gate is closed
     */
    public long begin() {
        assert isOf(Thread.currentThread()) : wrongThread();
        long[] slot = words;
        long before = slot[Slots.SECTION];
        if (CriticalSection.isInside(before)) {
            return beginAgain(before);
        }
        long section = before + CriticalSection.BEGIN;
        try {
            Slots.setSectionRelease(slot, section);
            VarHandle.acquireFence();
            return Slots.signalsAcquire(slot) == 0 ? section : beginSignalled(section);
        } catch (Throwable cutOff) {
            if (slot[Slots.SECTION] == section) {
                notEnded = section;
            }
            throw cutOff;
        }
    }

    /** A scope in a thread that is inside, or was about to end a critical section. */
    private long beginAgain(long section) {
        if (isNotEnded(section)) {
            endSection();
            return begin();
        }
        return CriticalSection.NESTED;
    }

    /** Takes effect at the last read of the signals. */
    private long beginSignalled(long section) {
        long signals = Slots.signalsAcquire(words);
        if ((signals & Slots.COUNTED) != 0) {
            return beginCounted(section);
        }
        if ((signals & Slots.CLOSED) == 0) {
            return section; // also if somebody waits for an earlier one
        }
        endSection();
        return 0;
    }

    /** Takes effect when it is counted; what follows are stores in place, which cannot fail. */
    private long beginCounted(long section) {
        int counted = stripes.tryEnter(stripe);
        if (counted == Stripes.REFUSED) {
            words[Slots.SECTION] = CriticalSection.ended(section);
            return 0;
        }
        phase = counted;
        long begun = section | CriticalSection.COUNTED;
        words[Slots.SECTION] = begun;
        return begun;
    }

    /**
     * Ends the critical section. Does nothing at the end of a scope within it, or if it was given
     * up meanwhile.
     *
     * @param section what {@link #begin} returned
     */
    public void end(long section) {
        assert isOf(Thread.currentThread()) : wrongThread();
        long[] slot = words;
        if (slot[Slots.SECTION] != section) {
            return;
        }
        if (CriticalSection.isCounted(section)) {
            endCounted(section);
            return;
        }
        Slots.setSectionRelease(slot, CriticalSection.ended(section));
        try {
            VarHandle.acquireFence();
            if ((Slots.signalsAcquire(slot) & Slots.WAITING) != 0) {
                wake();
            }
        } catch (Throwable ignored) {
            // The critical section has ended; a waiter looks again soon
        }
    }

    /**
     * Ends the critical section. For its thread, or once that has ended. If it throws, it has had
     * no effect.
     */
    void endSection() {
        long section = words[Slots.SECTION];
        if (CriticalSection.isCounted(section)) {
            endCounted(section);
            return;
        }
        Slots.setSectionRelease(words, CriticalSection.ended(section));
        notEnded = 0;
        try {
            VarHandle.fullFence();
            if ((Slots.signalsAcquire(words) & Slots.WAITING) != 0) {
                wake();
            }
        } catch (Throwable ignored) {
            // The same
        }
    }

    private void wake() {
        if (Slots.removeSignal(words, Slots.WAITING)) {
            stripes.readerWait.wake();
        }
    }

    /** The mark of one that could not be ended goes first, and comes back if this fails. */
    private void endCounted(long section) {
        long marked = notEnded;
        long over = CriticalSection.ended(section); // here, since it is left by stores alone
        long before;
        notEnded = 0;
        try {
            before = stripes.leave(stripe, phase);
        } catch (Throwable cutOff) {
            notEnded = marked;
            throw cutOff;
        }
        words[Slots.SECTION] = over;
        try {
            if (stripes.clearWaiting(stripe, phase, before)) {
                stripes.readerWait.wake();
            }
        } catch (Throwable ignored) {
            // The same
        }
    }

    /**
     * Ends the critical section, so that the end of each scope does nothing; whether there was one.
     */
    boolean giveUp() {
        boolean inside = CriticalSection.isInside(words[Slots.SECTION]);
        if (inside) {
            endSection();
        }
        return inside;
    }

    /** Whether the thread is inside, and was not cut short when it was about to leave. */
    boolean isInside() {
        long section = Slots.sectionAcquire(words);
        return CriticalSection.isInside(section) && !isNotEnded(section);
    }

    /** Whether it was about to end this critical section and was cut short. */
    boolean isNotEnded(long section) {
        return notEnded == section;
    }

    /** Whether a critical section is counted there that it could not end. */
    boolean isNotEndedIn(int itsStripe, int itsPhase) {
        long marked = notEnded;
        return CriticalSection.isCounted(marked) && stripe == itsStripe && phase == itsPhase;
    }

    private String wrongThread() {
        return "an accessor belongs to the thread that asked for it: owner="
                + ownerId
                + ", thread="
                + Thread.currentThread();
    }

    /** Whether it is that of this thread. */
    boolean isOf(Thread thread) {
        return thread.threadId() == ownerId;
    }

    /** Whether its thread has run for the last time. May be asked by any thread. */
    boolean ended() {
        Thread thread = owner.get();
        return thread == null || !thread.isAlive();
    }

    /**
     * Looks at the critical section; the caller holds the lock of {@link ReaderRegistry}.
     *
     * @param now {@link System#nanoTime}
     * @return how long it has been seen, in nanoseconds; -1 if the thread is outside
     */
    long observeLocked(long now) {
        long section = Slots.sectionAcquire(words);
        if (!CriticalSection.isInside(section) || isNotEnded(section)) {
            return -1;
        }
        if (!CriticalSection.lasts(seenSection, section)) {
            seenSection = section;
            seenNanos = now;
        }
        return Math.max(0, now - seenNanos);
    }
}
