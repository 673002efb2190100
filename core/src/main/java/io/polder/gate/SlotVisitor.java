package io.polder.gate;

import java.lang.invoke.VarHandle;

/**
 * The visitor of a platform thread that marks its visits in a slot, without an atomic instruction.
 *
 * <p>To begin a visit is to write the slot and then read its signals; to end one, too. Between the
 * two stands the fence that {@link SlotProtocol} explains: one for the compiler only, or, if the
 * signals ask for it, a real one, after which they are read again.
 *
 * <p>Failure. What has begun and is cut off before its caller knows is marked as not ended, by a
 * store in place. A visit that has ended has done so whatever follows: a wake-up that is cut off is
 * one that is lost, and {@link Drain} does not sleep for long.
 */
final class SlotVisitor extends Visitor {
    private final Drain drain;

    SlotVisitor(Thread owner, Door door, Place place, Drain drain) {
        super(owner, door, place, new NotEnded()); // found in its slot, so in no list of others
        this.drain = drain;
    }

    @Override
    long beginUnchecked() {
        long[] slot = words;
        long before = Slots.visit(slot);
        if (Visit.isInside(before)) {
            return beginAgain(before);
        }
        long visit = before + Visit.BEGIN;
        try {
            Slots.setVisitRelease(slot, visit);
            VarHandle.acquireFence();
            long signals = Slots.signalsAcquire(slot);
            return signals == 0 || beginSignalled(slot, signals) ? visit : 0;
        } catch (Throwable cutOff) {
            if (slot[Slots.VISIT] == visit) {
                notEnded = visit;
            }
            throw cutOff;
        }
    }

    /** Takes effect at the last read of the signals; the visit has begun. */
    private boolean beginSignalled(long[] slot, long seen) {
        long signals = seen;
        if ((signals & Slots.FENCED) != 0) {
            VarHandle.fullFence();
            signals = Slots.signalsAcquire(slot);
        }
        if ((signals & Slots.CLOSED) == 0) {
            return true; // also if somebody wanted an earlier visit to end
        }
        endVisit();
        return false;
    }

    @Override
    void endUnchecked(long visit) {
        long[] slot = words;
        if (Visit.depth(visit) != 1 || !Visit.isWithin(visit, Slots.visit(slot))) {
            endInner(visit);
            return;
        }
        Slots.setVisitRelease(slot, visit - Visit.ONCE);
        try {
            VarHandle.acquireFence();
            if ((Slots.signalsAcquire(slot) & Slots.WANTED) != 0) {
                wake();
            }
        } catch (Throwable ignored) {
            // The visit has ended; who waits looks again soon
        }
    }

    @Override
    void endVisit() {
        long[] slot = words;
        Slots.setVisitRelease(slot, Visit.ended(Slots.visit(slot)));
        notEnded = 0;
        try {
            VarHandle.fullFence();
            if ((Slots.signalsAcquire(slot) & Slots.WANTED) != 0) {
                wake();
            }
        } catch (Throwable ignored) {
            // The same
        }
    }

    private void wake() {
        if (Slots.removeSignal(words, Slots.WANTED)) {
            drain.wake();
        }
    }
}
