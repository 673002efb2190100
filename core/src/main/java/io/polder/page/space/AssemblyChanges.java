package io.polder.page.space;

import io.polder.page.space.Extent.State;
import io.polder.page.space.PageReservation.Kind;

/**
 * What an assembly changes in a {@link PageState}: it isolates a target, frees its sources, and
 * makes a page or a free run of the target.
 *
 * <p>To be used with the lock of the state held; each change is one of the state's, and mended like
 * those where it is cut off.
 */
final class AssemblyChanges {
    private final PageState state;

    AssemblyChanges(PageState state) {
        this.state = state;
    }

    /**
     * Isolates addresses without memory as a target.
     *
     * @param toMove how many of its granules, the first, are to get memory from elsewhere
     * @return whether there are such addresses, and room for the others
     */
    boolean isolateTargetLocked(Extent target, Isolation isolation, int count, int toMove) {
        PageReservation reservation = state.findLocked(Kind.COLD, count);
        if (reservation == null) {
            return false;
        }
        int fresh = count - toMove;
        state.changing = true;
        if (fresh > 0) {
            if (!state.tryCommitLocked(Granules.bytes(fresh))) {
                state.changing = false;
                return false;
            }
            state.idle.grew();
        }
        state.cutLocked(reservation, target, count, State.ISOLATED, fresh, isolation);
        target.atHome = !reservation.moved.any(target.first, count);
        state.committedLocked(Granules.bytes(fresh));
        state.isolated += fresh;
        // Now, so that others who plan see what this one may cost.
        state.boundaries -= reservation.moved.boundaries();
        reservation.moved.set(target.first, toMove, true);
        state.boundaries += reservation.moved.boundaries();
        state.changing = false;
        return true;
    }

    /** Frees the addresses of a source whose memory is in a target now, and counts as its. */
    void sourceIsColdLocked(Extent source, Extent target) {
        PageReservation reservation = source.reservation();
        state.changing = true;
        state.boundaries -= reservation.moved.boundaries();
        reservation.moved.wentAway(source.first, source.count);
        state.boundaries += reservation.moved.boundaries();
        target.charged += source.count;
        source.charged = 0;
        reservation.free(source, Kind.COLD);
        state.movedTotal += source.count;
        state.changing = false;
    }

    /** Frees a target that got the memory of all its granules. */
    void targetIsWarmLocked(Extent target) {
        state.changing = true;
        target.reservation().free(target, Kind.WARM);
        state.isolated -= target.count;
        state.warmFree += target.count;
        state.assembledInBackground++;
        state.notifyAll();
        state.changing = false;
    }

    /** Makes a page of a target. */
    void targetIsTakenLocked(Extent target) {
        state.changing = true;
        target.state = State.TAKEN;
        target.warmTo = target.count;
        target.isolation = null;
        state.isolated -= target.count;
        state.taken += target.count;
        state.takenCount++;
        state.assembledOnAllocation++;
        state.idle.fell(state.freeLocked());
        state.notifyAll();
        state.changing = false;
    }
}
