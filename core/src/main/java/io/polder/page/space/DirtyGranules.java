package io.polder.page.space;

import io.polder.page.space.PageReservation.Kind;

import org.jspecify.annotations.Nullable;

/**
 * Which granules of a reservation are dirty.
 *
 * <p><b>Dirty</b> is what may not read as zero. Of granules that are held, their owner alone reads
 * and writes it. A cold granule that is dirty may have memory although nobody counts it: moving it
 * was cut off. It is uncommitted once more, by the next who uncommits.
 *
 * <p>What is dirty decides; the counts of what is free and dirty are derived. No warm granule below
 * {@code dirtyFrom} is dirty.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link PageState} it belongs to.
 */
final class DirtyGranules {
    private final int size;
    private final byte[] kinds;
    private final boolean[] dirty;
    private int dirtyFrom;
    private int dirtyCount;
    private int unsureCount;

    /**
     * None.
     *
     * @param kinds what each granule is; belongs to the reservation
     */
    DirtyGranules(byte[] kinds) {
        this.size = kinds.length;
        this.kinds = kinds;
        this.dirty = new boolean[size];
    }

    /** How many warm granules may not read as zero. */
    int warmCount() {
        return dirtyCount;
    }

    /** How many cold granules may have memory nevertheless. */
    int coldCount() {
        return unsureCount;
    }

    void uncount(byte kind, int from, int end) {
        if (dirtyCount + unsureCount == 0) {
            return;
        }
        for (int i = from; i < end; i++) {
            if (dirty[i] && kind == Kind.COLD) {
                unsureCount--;
            } else if (dirty[i]) {
                dirtyCount--;
            }
        }
    }

    void count(byte kind, int from, int end) {
        for (int i = from; i < end; i++) {
            if (dirty[i] && kind == Kind.COLD) {
                unsureCount++;
            } else if (dirty[i]) {
                dirtyFrom = Math.min(dirtyFrom, i);
                dirtyCount++;
            }
        }
    }

    /** The lowest warm granule that is dirty, or {@link BitTree#NONE}. */
    int lowestDirty() {
        for (int i = dirtyFrom; dirtyCount > 0 && i < size; i++) {
            if (dirty[i] && kinds[i] == Kind.WARM) {
                dirtyFrom = i;
                return i;
            }
        }
        return BitTree.NONE;
    }

    /** The lowest cold granule that may have memory, or {@link BitTree#NONE}. */
    int lowestUnsure() {
        for (int i = 0; unsureCount > 0 && i < size; i++) {
            if (kinds[i] == Kind.COLD && dirty[i]) {
                return i;
            }
        }
        return BitTree.NONE;
    }

    /** Whether a granule that the caller holds is dirty. */
    boolean isDirty(int granule) {
        return dirty[granule];
    }

    /** Says so of the first granules of an extent that the caller holds. */
    void dirtied(Extent extent, int count) {
        for (int i = extent.first; i < extent.first + count; i++) {
            dirty[i] = true;
        }
    }

    /** Says that granules that the caller holds read as zero. */
    void cleaned(int from, int count) {
        for (int i = from; i < from + count; i++) {
            dirty[i] = false;
        }
    }

    /**
     * A granule of a source is about to be moved to a target. From here to {@link #arrived} nobody
     * knows where its memory is, and so both places are dirty; should it stay like that, the target
     * is warm and the source cold.
     *
     * @return whether it was dirty before
     */
    static boolean departs(Extent source, Extent target, DirtyGranules from, DirtyGranules to) {
        int leaving = source.first + source.warmFrom;
        boolean wasDirty = from.dirty[leaving];
        from.dirty[leaving] = true;
        to.dirty[target.first + target.warmTo] = true;
        source.warmFrom++;
        target.warmTo++;
        return wasDirty;
    }

    /** It was moved. */
    static void arrived(
            Extent source, Extent target, DirtyGranules from, DirtyGranules to, boolean wasDirty) {
        to.dirty[target.first + target.warmTo - 1] = wasDirty;
        from.dirty[source.first + source.warmFrom - 1] = false;
    }

    /** It was not. */
    static void stayed(
            Extent source, Extent target, DirtyGranules from, DirtyGranules to, boolean wasDirty) {
        source.warmFrom--;
        target.warmTo--;
        to.dirty[target.first + target.warmTo] = false;
        from.dirty[source.first + source.warmFrom] = wasDirty;
    }

    /** Says of the granules of an extent that they have no memory any more. */
    void cleaned(Extent extent) {
        for (int i = extent.first; i < extent.first + extent.count; i++) {
            dirty[i] = false;
        }
    }

    /** Forgets what is counted. */
    void forgetCounts() {
        dirtyFrom = size;
        dirtyCount = 0;
        unsureCount = 0;
    }

    /** The rule that is broken, counted anew; null if none is. */
    @Nullable String broken() {
        int warm = 0;
        int cold = 0;
        for (int i = 0; i < size; i++) {
            warm += dirty[i] && kinds[i] == Kind.WARM ? 1 : 0;
            cold += dirty[i] && kinds[i] == Kind.COLD ? 1 : 0;
            if (dirty[i] && kinds[i] == Kind.WARM && i < dirtyFrom) {
                return "no warm granule below is dirty: dirtyFrom=" + dirtyFrom;
            }
        }
        if (dirtyCount != warm || unsureCount != cold) {
            return "dirt is counted: dirty=" + dirtyCount + ", unsure=" + unsureCount;
        }
        return null;
    }
}
