package io.polder.page.space;

import io.polder.memory.OsCallException;
import io.polder.memory.Zeroing;

/**
 * Cleans what earlier owners left in granules.
 *
 * <p>By zeroing what is dirty, whatever the size: the next owner's page faults cost several times
 * as much; to measure it, {@code bench/run CleaningGranules}. Where a granule was not zeroed before
 * and its owner touched little, zeros would bring memory to all that is dirty, so that little is
 * uncommitted; the system is asked how much it is. What nobody takes again is uncommitted by the
 * {@link Decay}, and clean then.
 *
 * <p><b>Failure.</b> A granule is dirty until it is clean; what an error leaves is free and dirty.
 *
 * <p>Thread-safe: a free granule is isolated while it is cleaned; a page is cleaned by the thread
 * that took it.
 */
record Cleaner(PageState state) {
    /** Zeroed without asking: the largest OS page, and less than a system call costs to clear. */
    private static final long LITTLE_BYTES = 64 << 10;

    /**
     * Zeroed if at least this part has memory. Guessed: zeroing a granule takes as long as some
     * thirty page faults, which its next owner would have otherwise.
     */
    private static final int WORTH_PARTS = 16;

    /** Whether something of an extent {@linkplain DirtyGranules#mustClean must be cleaned}. */
    boolean isDirty(Extent extent, boolean zero) {
        PageReservation reservation = extent.reservation();
        for (int i = extent.first; i < extent.first + extent.count; i++) {
            if (reservation.dirt.mustClean(i, extent, zero)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Cleans that of an extent that the caller has, from its end on: caches are more likely to have
     * that of the owner before, and the next one begins at the front.
     */
    void clean(Extent extent, boolean zero) {
        PageReservation reservation = extent.reservation();
        for (int i = extent.first + extent.count - 1; i >= extent.first; i--) {
            if (reservation.dirt.mustClean(i, extent, zero)) {
                clean(reservation.address(i), reservation.dirt, i);
            }
        }
    }

    private void clean(long granule, DirtyGranules dirt, int index) {
        int dirty = dirt.dirty[index];
        if (dirty > Math.max(dirt.zeroed[index], LITTLE_BYTES)) {
            long most = (dirty + LITTLE_BYTES - 1) & -LITTLE_BYTES;
            boolean isLittle = state.provider.residentBytes(granule, most) < most / WORTH_PARTS;
            if (isLittle && uncommit(granule)) {
                dirt.uncommitted(index);
                return;
            }
        }
        Zeroing.zero(granule, dirty);
        dirt.zeroed(index);
    }

    private boolean uncommit(long granule) {
        if (!state.provider.canUncommit()) {
            return false;
        }
        try {
            state.provider.uncommit(granule, PageSpace.GRANULE_BYTES);
            return true;
        } catch (OsCallException refusal) {
            state.refused(refusal);
            return false;
        }
    }

    /**
     * Cleans free granules, from the lowest address up.
     *
     * @param most how many at most
     * @return how many
     */
    int cleanFree(int most) {
        int done = 0;
        while (done < most && cleanOne()) {
            done++;
        }
        return done;
    }

    private boolean cleanOne() {
        Isolation one = new Isolation(state);
        try {
            synchronized (state) {
                state.recoverIfNeededLocked();
                one.isolateDirtyLocked();
            }
            for (Extent granule : one.extents) {
                clean(granule, true);
            }
            one.putBack();
            return !one.extents.isEmpty();
        } finally {
            one.ended = true;
            if (one.underWay) {
                state.abandoned = true;
            }
        }
    }
}
