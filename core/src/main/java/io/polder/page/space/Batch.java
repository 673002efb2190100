package io.polder.page.space;

import io.polder.page.space.Area.Kind;

/**
 * What an uncommitting {@link Pass} has in hand.
 *
 * <p>Its extents are made before the lock is taken. What is claimed says itself what becomes of it,
 * so a batch that an error leaves is settled by others.
 *
 * <p>Used by one thread.
 */
final class Batch {
    final Pass pass = new Pass();
    private final PageState state;
    private final Extent[] extents;

    /** Which are to be renewed, since fresh addresses win mappings back. */
    private final boolean[] worn;

    /** Which were uncommitted or renewed. */
    private final boolean[] done;

    private int count;

    /** Whether something may be in hand. */
    boolean underWay;

    /**
     * One with nothing in hand.
     *
     * @param max how many extents it may have, and warm granules
     */
    Batch(PageState state, int max) {
        this.state = state;
        this.extents = new Extent[max];
        this.worn = new boolean[max];
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

    boolean isWorn(int index) {
        return worn[index];
    }

    /** Claims cold granules that may have memory nevertheless, up to half of what it may have. */
    void claimUnsureLocked() {
        for (Area area : state.areasLocked()) {
            int granule = area.lowestUnsure();
            while (granule != BitTree.NONE && count < extents.length / 2) {
                claimColdLocked(area, area.coldRunOf(granule), granule, 1);
                granule = area.lowestUnsure();
            }
        }
    }

    /** Claims so many warm granules, from the highest address down. */
    void claimWarmLocked(long wanted) {
        long left = Math.min(wanted, extents.length);
        Area[] areas = state.areasLocked();
        for (int i = areas.length - 1; i >= 0; i--) {
            Area area = areas[i];
            int run = area.highest(Kind.WARM);
            while (run != BitTree.NONE && left > 0 && count < extents.length) {
                int end = run + area.length(run);
                int some = (int) Math.min(end - run, left);
                underWay = true;
                state.claimWarmLocked(extents[count], pass, area, run, end - some, some);
                worn[count] = isWorn(area, end - some, some);
                count++;
                left -= some;
                run = area.highest(Kind.WARM);
            }
        }
    }

    /** Claims cold runs for which fresh addresses win mappings back. */
    void claimWornColdLocked() {
        for (Area area : state.areasLocked()) {
            int run = area.nextRun(Kind.COLD, 0);
            while (run < area.size() && count < extents.length) {
                int length = area.length(run);
                if (isWorn(area, run, length)) {
                    worn[count] = true;
                    claimColdLocked(area, run, run, length);
                }
                run = area.nextRun(Kind.COLD, run + length);
            }
        }
    }

    private void claimColdLocked(Area area, int run, int from, int granules) {
        underWay = true;
        state.claimColdLocked(extents[count], pass, area, run, from, granules);
        count++;
    }

    private static boolean isWorn(Area area, int from, int granules) {
        return area.anyMoved(from, granules) && area.joins(from);
    }

    /** Says that an extent has no memory any more. */
    void uncommitted(int index) {
        Extent extent = extents[index];
        extent.area().uncommitted(extent);
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
     * Frees what is in hand.
     *
     * @return how many granules are uncommitted or renewed
     */
    long settle() {
        if (count == 0) {
            return 0;
        }
        long granules = 0;
        synchronized (state.lock()) {
            state.settleLocked();
            for (int i = 0; i < count; i++) {
                Extent extent = extents[i];
                granules += done[i] ? extent.count : 0;
                if (extent.renewing) {
                    state.renewedLocked(extent);
                }
                state.returnLocked(extent);
            }
        }
        underWay = false;
        return granules;
    }
}
