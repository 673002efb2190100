package io.polder.page.space;

import io.polder.memory.MemoryProvider;
import io.polder.page.space.Extent.State;

import java.util.ArrayList;
import java.util.List;

/**
 * Granules whose addresses the operating system has unmapped, and refused to map again: what is
 * there may be others'. They are taken out of the space, so that nobody looks for memory there, and
 * come back when they are whole again. Each is an extent of its own, in state {@code LOST}, for
 * which nothing is charged. Where all else of a reservation is free it is released, without them.
 *
 * <p>The provider decides: it refuses every call on such addresses. So it does not matter that a
 * granule may be cold for a while before somebody has found that it is lost.
 *
 * <p>Thread-safe; to be called without a lock.
 */
final class LostGranules {
    private final PageState state;
    private final MemoryProvider provider;

    LostGranules(PageState state) {
        this.state = state;
        this.provider = state.provider;
    }

    /**
     * Takes out what is lost of some granules, as far as they are cold.
     *
     * @return whether something is lost
     */
    boolean takeOut(PageReservation reservation, int first, int count) {
        if (provider.isWhole(reservation.address(first), Granules.bytes(count))) {
            return false;
        }
        boolean some = false;
        for (int i = first; i < first + count; i++) {
            if (!provider.isWhole(reservation.address(i), PageSpace.GRANULE_BYTES)) {
                some = true;
                Extent lost = new Extent(state);
                synchronized (state.lock()) {
                    state.enterLocked();
                    state.loseLocked(lost, reservation, i);
                }
            }
        }
        return some;
    }

    /** Brings back what is whole again; returns whether something was. */
    boolean bringBack() {
        boolean some = false;
        for (Extent lost : all()) {
            if (provider.isWhole(lost.address(), lost.bytes())) {
                synchronized (state.lock()) {
                    state.enterLocked();
                    some |= state.foundAgainLocked(lost);
                }
            }
        }
        return some;
    }

    private List<Extent> all() {
        List<Extent> all = new ArrayList<>();
        synchronized (state.lock()) {
            state.enterLocked();
            for (PageReservation reservation : state.reservationsLocked()) {
                for (Extent extent : reservation.extents()) {
                    if (extent.state == State.LOST) {
                        all.add(extent);
                    }
                }
            }
        }
        return all;
    }
}
