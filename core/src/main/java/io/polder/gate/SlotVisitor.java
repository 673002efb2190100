package io.polder.gate;

import java.lang.invoke.VarHandle;

/**
 * The visitor of a platform thread that marks its visits in a slot, without an atomic instruction.
 *
 * <p>To begin a visit is to write the slot and then read its signals; to end one, too. Between the
 * two stands the fence that {@link SlotProtocol} explains: one for the compiler only, or, if the
 * signals ask for it, a real one, after which they are read again.
 */
final class SlotVisitor extends Visitor {
    private final Drain drain;

    SlotVisitor(Thread owner, Door door, Place place, Drain drain) {
        super(owner, door, place);
        this.drain = drain;
    }

    @Override
    boolean tryEnterUnchecked() {
        long[] slot = words;
        long visit = Slots.visit(slot);
        if (Visit.isInside(visit)) {
            return enterAgain(visit);
        }
        Slots.setVisitRelease(slot, visit + Visit.BEGIN);
        VarHandle.acquireFence();
        long signals = Slots.signalsAcquire(slot);
        return signals == 0 || enterSignalled(slot, signals);
    }

    /** Takes effect at the last read of the signals; the visit has begun. */
    private boolean enterSignalled(long[] slot, long seen) {
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
    void leaveUnchecked() {
        long[] slot = words;
        long visit = Slots.visit(slot);
        if (Visit.depth(visit) != 1) {
            leaveInner(visit);
            return;
        }
        Slots.setVisitRelease(slot, visit - Visit.ONCE);
        VarHandle.acquireFence();
        if ((Slots.signalsAcquire(slot) & Slots.WANTED) != 0) {
            wake();
        }
    }

    @Override
    void endVisit() {
        Slots.setVisitRelease(words, Visit.ended(Slots.visit(words)));
        VarHandle.fullFence();
        if ((Slots.signalsAcquire(words) & Slots.WANTED) != 0) {
            wake();
        }
    }

    private void wake() {
        if (Slots.removeSignal(words, Slots.WANTED)) {
            drain.wake();
        }
    }
}
