package io.polder.page.space;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Extents that one thread isolates together: to assemble, uncommit, renew, clean or release them.
 *
 * <p>What it isolated is its own until it is over. It says so last, whatever ended it, by a store
 * in a finally block; what is still isolated then is reclaimed by the thread that takes the lock of
 * the {@link PageState} next: see {@link Extent}.
 *
 * <p>Used by one thread.
 */
final class Isolation {
    /** To uncommit or renew, so many at a time, so that takers need not wait long: guessed. */
    private static final int BATCH_MAX = 64;

    private final PageState state;

    /** What is isolated, but for the target of an assembly. */
    final List<Extent> extents = new ArrayList<>();

    /** Whether something may be isolated that was neither put back nor handed on. */
    boolean underWay;

    /** Volatile: a thread that sees it also sees how far the extents came. */
    volatile boolean ended;

    /** One with nothing. */
    Isolation(PageState state) {
        this.state = state;
    }

    /** Isolates the lowest warm granule that is dirty, if there is one. */
    void isolateDirtyLocked() {
        for (PageReservation reservation : state.reserved) {
            int granule = reservation.dirt.lowestDirty();
            if (granule != BitTree.NONE) {
                isolateLocked(reservation, granule, 1);
                return;
            }
        }
    }

    /**
     * Isolates so many warm granules, from the highest address down.
     *
     * @param oneByOne whether each is an extent
     * @param below where to begin; null for the end
     */
    void isolateWarmLocked(long wanted, boolean oneByOne, @Nullable Extent below) {
        long left = Math.min(wanted, BATCH_MAX);
        PageReservation[] reservations = state.reserved;
        int i = reservations.length - 1;
        while (below != null && i >= 0 && reservations[i] != below.reservation()) {
            i--;
        }
        int border = below == null || i < 0 ? Integer.MAX_VALUE : below.first;
        for (; i >= 0; i--) {
            PageReservation reservation = reservations[i];
            int run = warmRunBelow(reservation, border);
            while (run != BitTree.NONE && left > 0 && extents.size() < BATCH_MAX) {
                int end = Math.min(border, run + reservation.runs[run]);
                int some = oneByOne ? 1 : (int) Math.min(end - run, left);
                isolateLocked(reservation, end - some, some);
                left -= some;
                run = warmRunBelow(reservation, border);
            }
            border = Integer.MAX_VALUE;
        }
    }

    private static int warmRunBelow(PageReservation reservation, int border) {
        if (border >= reservation.size) {
            return reservation.warm.all.last();
        }
        return border == 0 ? BitTree.NONE : reservation.warm.startAtOrBefore(border - 1);
    }

    /** Isolates cold runs for which fresh addresses win mappings back. */
    void isolateMergeableColdLocked() {
        for (PageReservation reservation : state.reserved) {
            int next;
            for (int at = 0; at < reservation.size && extents.size() < BATCH_MAX; at = next) {
                next = reservation.next(at);
                if (reservation.isCold(at) && reservation.moved.isMergeable(at, next - at)) {
                    isolateLocked(reservation, at, next - at);
                }
            }
        }
    }

    /** Isolates all that is free of a reservation. */
    void isolateAllLocked(PageReservation reservation) {
        for (int at = 0; at < reservation.size; at = reservation.next(at)) {
            if (!reservation.isHeld(at)) {
                isolateLocked(reservation, at, reservation.runs[at]);
            }
        }
    }

    /** Isolates a part of a free run. */
    void isolateLocked(PageReservation reservation, int from, int granules) {
        Extent extent = new Extent(false).prepared(reservation, from, granules, this);
        extents.add(extent);
        underWay = true;
        state.isolateLocked(extent);
    }

    /** Says that an extent has no memory any more. */
    void uncommitted(Extent extent) {
        extent.reservation().dirt.uncommitted(extent);
        extent.warmTo = 0;
    }

    /** How many granules were committed and are no longer. */
    long uncommittedCount() {
        long granules = 0;
        for (Extent extent : extents) {
            granules += extent.warmTo == 0 ? extent.charged : 0;
        }
        return granules;
    }

    /** Frees what is isolated. */
    void putBack() {
        synchronized (state) {
            state.recoverIfNeededLocked();
            for (Extent extent : extents) {
                state.putBackLocked(extent);
            }
        }
        underWay = false;
    }
}
