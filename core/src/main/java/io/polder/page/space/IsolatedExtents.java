package io.polder.page.space;

import io.polder.page.space.PageReservation.Kind;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * What an uncommitting {@link Isolation} has.
 *
 * <p>What is isolated says itself what becomes of it, so a batch that an error leaves is reclaimed
 * by others.
 *
 * <p>Used by one thread.
 */
final class IsolatedExtents {
    final Isolation isolation = new Isolation();
    final List<Extent> extents = new ArrayList<>();
    private final PageState state;
    private final int max;

    /** Whether something may be isolated. */
    boolean underWay;

    /**
     * One with nothing.
     *
     * @param max how many extents it may have, and warm granules
     */
    IsolatedExtents(PageState state, int max) {
        this.state = state;
        this.max = max;
    }

    /** Isolates cold granules that may have memory nevertheless, up to half of what it may have. */
    void isolateUnsureLocked() {
        for (PageReservation reservation : state.reserved) {
            int granule = reservation.dirt.lowestUnsure();
            while (granule != BitTree.NONE && extents.size() < max / 2) {
                int run = reservation.cold.startAtOrBefore(granule);
                isolateLocked(reservation, run, granule, 1, false);
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
        long left = Math.min(wanted, max);
        PageReservation[] reservations = state.reserved;
        int i = reservations.length - 1;
        while (below != null && i >= 0 && reservations[i] != below.reservation()) {
            i--;
        }
        int border = below == null || i < 0 ? Integer.MAX_VALUE : below.first;
        for (; i >= 0; i--) {
            PageReservation reservation = reservations[i];
            int run = warmRunBelow(reservation, border);
            while (run != BitTree.NONE && left > 0 && extents.size() < max) {
                int end = Math.min(border, run + reservation.runs[run]);
                int some = oneByOne ? 1 : (int) Math.min(end - run, left);
                boolean mergeable = isMergeable(reservation, end - some, some);
                isolateLocked(reservation, run, end - some, some, mergeable);
                left -= some;
                run = warmRunBelow(reservation, border);
            }
            border = Integer.MAX_VALUE;
        }
    }

    private static int warmRunBelow(PageReservation reservation, int border) {
        if (border >= reservation.size) {
            return reservation.warm.highest();
        }
        return border == 0 ? BitTree.NONE : reservation.warm.startAtOrBefore(border - 1);
    }

    /** Isolates cold runs for which fresh addresses win mappings back. */
    void isolateMergeableColdLocked() {
        for (PageReservation reservation : state.reserved) {
            int run = reservation.nextRun(Kind.COLD, 0);
            while (run < reservation.size && extents.size() < max) {
                int length = reservation.runs[run];
                if (isMergeable(reservation, run, length)) {
                    isolateLocked(reservation, run, run, length, true);
                }
                run = reservation.nextRun(Kind.COLD, run + length);
            }
        }
    }

    private void isolateLocked(
            PageReservation reservation, int run, int from, int granules, boolean mergeable) {
        Extent extent = new Extent(state).prepared(reservation, from, granules, isolation);
        extent.mergeable = mergeable;
        extents.add(extent);
        underWay = true;
        state.isolateLocked(extent, run);
    }

    private static boolean isMergeable(PageReservation reservation, int from, int granules) {
        return reservation.moved.any(from, granules) && reservation.moved.joins(from);
    }

    /** Says that an extent has no memory any more. */
    static void uncommitted(Extent extent) {
        extent.reservation().dirt.uncommitted(extent);
        extent.warmTo = 0;
        extent.changed = true;
    }

    /** How many granules were committed and are no longer. */
    long uncommittedCount() {
        long granules = 0;
        for (Extent extent : extents) {
            granules += extent.warmTo == 0 ? extent.charged : 0;
        }
        return granules;
    }

    /**
     * Frees what is isolated.
     *
     * @return how many granules are uncommitted or renewed
     */
    long putBack() {
        if (extents.isEmpty()) {
            return 0;
        }
        long granules = 0;
        synchronized (state) {
            state.recoverIfNeededLocked();
            for (Extent extent : extents) {
                granules += extent.changed ? extent.count : 0;
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
