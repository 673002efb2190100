package io.polder.gate;

import java.lang.invoke.VarHandle;

/**
 * The reader of a platform thread that marks its critical sections in a slot, without an atomic
 * instruction.
 *
 * <p>It begins a critical section when it writes the slot and then reads its signals, and ends it
 * likewise. Between the two stands the fence that {@link SlotProtocol} explains: one for the
 * compiler only, or, if the signals ask for it, a real one, after which they are read again.
 *
 * <p>Failure. A critical section that has begun and is cut off before its caller knows is marked as
 * not ended, by a store in place. One that has ended has done so whatever follows: a wake-up that
 * is cut off is lost, and {@link ReaderWait} does not sleep for long.
 */
final class SlotReader extends Reader {
    private final ReaderWait readerWait;

    SlotReader(Thread owner, ClosedState closedState, Place place, ReaderWait readerWait) {
        // Found in its slot, so in no list of others.
        super(owner, closedState, place, new NotEnded());
        this.readerWait = readerWait;
    }

    @Override
    long beginUnchecked() {
        long[] slot = words;
        long before = Slots.section(slot);
        if (CriticalSection.isInside(before)) {
            return beginAgain(before);
        }
        long section = before + CriticalSection.BEGIN;
        try {
            Slots.setSectionRelease(slot, section);
            VarHandle.acquireFence();
            long signals = Slots.signalsAcquire(slot);
            return signals == 0 || beginSignalled(slot, signals) ? section : 0;
        } catch (Throwable cutOff) {
            if (slot[Slots.SECTION] == section) {
                notEnded = section;
            }
            throw cutOff;
        }
    }

    /** Takes effect at the last read of the signals; the critical section has begun. */
    private boolean beginSignalled(long[] slot, long seen) {
        long signals = seen;
        if ((signals & Slots.FENCED) != 0) {
            VarHandle.fullFence();
            signals = Slots.signalsAcquire(slot);
        }
        if ((signals & Slots.CLOSED) == 0) {
            return true; // also if somebody waits for an earlier one
        }
        endSection();
        return false;
    }

    @Override
    void endUnchecked(long section) {
        long[] slot = words;
        if (CriticalSection.depth(section) != 1 || Slots.section(slot) != section) {
            endOther(section);
            return;
        }
        Slots.setSectionRelease(slot, section - CriticalSection.NESTED);
        try {
            VarHandle.acquireFence();
            if ((Slots.signalsAcquire(slot) & Slots.WAITING) != 0) {
                wake();
            }
        } catch (Throwable ignored) {
            // The critical section has ended; a waiter looks again soon
        }
    }

    @Override
    void endSection() {
        long[] slot = words;
        Slots.setSectionRelease(slot, CriticalSection.ended(Slots.section(slot)));
        notEnded = 0;
        try {
            VarHandle.fullFence();
            if ((Slots.signalsAcquire(slot) & Slots.WAITING) != 0) {
                wake();
            }
        } catch (Throwable ignored) {
            // The same
        }
    }

    private void wake() {
        if (Slots.removeSignal(words, Slots.WAITING)) {
            readerWait.wake();
        }
    }
}
