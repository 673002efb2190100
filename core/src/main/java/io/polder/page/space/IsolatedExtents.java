package io.polder.page.space;

import io.polder.page.space.PageReservation.Kind;

import org.jspecify.annotations.Nullable;

/**
 * What an uncommitting {@link Isolation} has.
 *
 * <p>Its extents are made before the lock is taken. What is isolated says itself what becomes of
 * it, so a batch that an error leaves is reclaimed by others.
 *
 * <p>Used by one thread.
 */
final class IsolatedExtents {
    final Isolation isolation = new Isolation();
    private final PageState state;
    private final Extent[] extents;

    /** Which are to be renewed, since fresh addresses win mappings back. */
    private final boolean[] mergeable;

    /** Which were uncommitted or renewed. */
    private final boolean[] done;

    private int count;

    /** Whether something may be isolated. */
    boolean underWay;

    /**
     * One with nothing.
     *
     * @param max how many extents it may have, and warm granules
     */
    IsolatedExtents(PageState state, int max) {
        this.state = state;
        this.extents = new Extent[max];
        this.mergeable = new boolean[max];
        this.done = new boolean[max];
        for (int i = 0; i < max; i++) {
            extents[i] = new Extent(state);
        }
    }

    int count() {
        return count;
    }

    Extent extent(int index) {
        return extents[index];
    }

    boolean isMergeable(int index) {
        return mergeable[index];
    }

    /** Isolates cold granules that may have memory nevertheless, up to half of what it may have. */
    void isolateUnsureLocked() {
        for (PageReservation reservation : state.reservationsLocked()) {
            int granule = reservation.dirt.lowestUnsure();
            while (granule != BitTree.NONE && count < extents.length / 2) {
                isolateColdLocked(
                        reservation,
                        reservation.index(Kind.COLD).startAtOrBefore(granule),
                        granule,
                        1);
                granule = reservation.dirt.lowestUnsure();
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
        long left = Math.min(wanted, extents.length);
        PageReservation[] reservations = state.reservationsLocked();
        int i = reservations.length - 1;
        while (below != null && i >= 0 && reservations[i] != below.reservation()) {
            i--;
        }
        int border = below == null || i < 0 ? Integer.MAX_VALUE : below.first;
        for (; i >= 0; i--) {
            PageReservation reservation = reservations[i];
            int run = warmRunBelow(reservation, border);
            while (run != BitTree.NONE && left > 0 && count < extents.length) {
                int end = Math.min(border, run + reservation.length(run));
                int some = oneByOne ? 1 : (int) Math.min(end - run, left);
                underWay = true;
                extents[count].prepared(reservation, end - some, some, isolation);
                state.isolateLocked(extents[count], run);
                mergeable[count] = isMergeable(reservation, end - some, some);
                count++;
                left -= some;
                run = warmRunBelow(reservation, border);
            }
            border = Integer.MAX_VALUE;
        }
    }

    private static int warmRunBelow(PageReservation reservation, int border) {
        if (border >= reservation.size()) {
            return reservation.index(Kind.WARM).highest();
        }
        return border == 0
                ? BitTree.NONE
                : reservation.index(Kind.WARM).startAtOrBefore(border - 1);
    }

    /** Isolates cold runs for which fresh addresses win mappings back. */
    void isolateMergeableColdLocked() {
        for (PageReservation reservation : state.reservationsLocked()) {
            int run = reservation.nextRun(Kind.COLD, 0);
            while (run < reservation.size() && count < extents.length) {
                int length = reservation.length(run);
                if (isMergeable(reservation, run, length)) {
                    mergeable[count] = true;
                    isolateColdLocked(reservation, run, run, length);
                }
                run = reservation.nextRun(Kind.COLD, run + length);
            }
        }
    }

    private void isolateColdLocked(PageReservation reservation, int run, int from, int granules) {
        underWay = true;
        state.isolateLocked(extents[count].prepared(reservation, from, granules, isolation), run);
        count++;
    }

    private static boolean isMergeable(PageReservation reservation, int from, int granules) {
        return reservation.moved.any(from, granules) && reservation.moved.joins(from);
    }

    /** Says that an extent has no memory any more. */
    void uncommitted(int index) {
        Extent extent = extents[index];
        extent.reservation().uncommitted(extent);
        done[index] = true;
    }

    /** How many granules were committed and are no longer. */
    long uncommittedCount() {
        long granules = 0;
        for (int i = 0; i < count; i++) {
            granules += extents[i].warmTo == 0 ? extents[i].charged : 0;
        }
        return granules;
    }

    /**
     * Frees what is isolated.
     *
     * @return how many granules are uncommitted or renewed
     */
    long putBack() {
        if (count == 0) {
            return 0;
        }
        long granules = 0;
        synchronized (state) {
            state.recoverIfNeededLocked();
            for (int i = 0; i < count; i++) {
                Extent extent = extents[i];
                granules += done[i] ? extent.count : 0;
                if (extent.renewing) {
                    state.renewedLocked(extent);
                }
                state.putBackLocked(extent);
            }
        }
        underWay = false;
        return granules;
    }
}
