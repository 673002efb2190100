package io.polder.gate;

import java.lang.invoke.VarHandle;

/**
 * The visitor of a platform thread that marks its visits in a slot, without an atomic instruction.
 *
 * <p>To begin a visit is to write the slot and then read its signals; to end one, too. Between the
 * two stands the fence that {@link SlotProtocol} explains: a real one, or one for the compiler
 * only.
 */
final class SlotVisitor extends Visitor {
    private final Drain drain;
    private final boolean fullFence;

    SlotVisitor(Thread owner, Door door, Place place, Drain drain, boolean fullFence) {
        super(owner, door, place);
        this.drain = drain;
        this.fullFence = fullFence;
    }

    @Override
    boolean tryEnterUnchecked() {
        long visit = Slots.visit(words, at);
        if (Visit.isInside(visit)) {
            return enterAgain(visit);
        }
        Slots.setVisitRelease(words, at, visit + Visit.BEGIN);
        if (fullFence) {
            VarHandle.fullFence();
        } else {
            VarHandle.acquireFence();
        }
        return Slots.signalsAcquire(words, at) == 0 || enterSignalled();
    }

    /** Takes effect at the read of the signals before; the visit has begun. */
    private boolean enterSignalled() {
        if ((Slots.signalsAcquire(words, at) & Slots.CLOSED) == 0) {
            return true; // somebody wanted an earlier visit to end
        }
        endVisit();
        return false;
    }

    @Override
    void leaveUnchecked() {
        long visit = Slots.visit(words, at);
        if (Visit.depth(visit) != 1) {
            leaveInner(visit);
            return;
        }
        Slots.setVisitRelease(words, at, visit - Visit.ONCE);
        VarHandle.acquireFence();
        if (Slots.signalsAcquire(words, at) != 0) {
            wakeIfWanted();
        }
    }

    @Override
    void endVisit() {
        Slots.setVisitRelease(words, at, Visit.ended(Slots.visit(words, at)));
        VarHandle.fullFence();
        wakeIfWanted();
    }

    private void wakeIfWanted() {
        if ((Slots.signalsAcquire(words, at) & Slots.WANTED) != 0
                && Slots.removeSignal(words, at, Slots.WANTED)) {
            drain.wake();
        }
    }
}
