package io.polder.page.space;

import io.polder.page.space.PageReservation.Kind;

/**
 * Which granules of a reservation are dirty, how far, and how far they are known to have memory.
 *
 * <pre>{@code
 *   granule   | dirty        | zero                                 |
 *             | has memory: it was zeroed         | nobody knows    |
 * }</pre>
 *
 * <p><b>Dirty</b> is what may not read as zero, from the front of a granule on. Of granules that
 * are held, their owner alone reads and writes it. A cold granule that is dirty may have memory
 * although nobody counts it, since an error came while it was moved: it has that until it is taken,
 * or its reservation released.
 *
 * <p><b>Memory.</b> What was zeroed has memory until it is uncommitted, or the system takes it away
 * by itself. So that is a hint, and what is dirty and has memory is zeroed without asking.
 *
 * <p><b>Whose.</b> Of what pages that {@linkplain Extent#grows grow} left, and nobody else since,
 * it is known: the next page that grows may find it there. What was moved is anybody's.
 *
 * <p>What is dirty decides; the count of what is warm and dirty is derived. No warm granule below
 * {@code dirtyFrom} is dirty.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link PageState} it belongs to.
 */
final class DirtyGranules {
    private static final int WHOLE = (int) PageSpace.GRANULE_BYTES;

    final int size;
    final byte[] kinds;

    /** How much of a granule may not read as zero, from its front; its holder reads it. */
    final int[] dirty;

    /** How much of it has memory as far as is known, from its front. */
    final int[] zeroed;

    /** Whether what is dirty was left by pages that grow alone. */
    private final boolean[] byGrown;

    int dirtyFrom;

    /** How many warm granules may not read as zero. */
    int dirtyCount;

    /**
     * None.
     *
     * @param kinds what each granule is; belongs to the reservation
     */
    DirtyGranules(byte[] kinds) {
        this.size = kinds.length;
        this.kinds = kinds;
        this.dirty = new int[size];
        this.zeroed = new int[size];
        this.byGrown = new boolean[size];
    }

    /** Counts granules that are warm from now on, and, with -1, counts them no more. */
    void count(int from, int end, int sign) {
        for (int i = from; i < end; i++) {
            if (dirty[i] > 0) {
                dirtyFrom = Math.min(dirtyFrom, i);
                dirtyCount += sign;
            }
        }
    }

    /** The lowest warm granule that is dirty, or {@link BitTree#NONE}. */
    int lowestDirty() {
        for (int i = dirtyFrom; dirtyCount > 0 && i < size; i++) {
            if (dirty[i] > 0 && kinds[i] == Kind.WARM) {
                dirtyFrom = i;
                return i;
            }
        }
        return BitTree.NONE;
    }

    /**
     * Whether a granule must be cleaned for a page that the caller holds.
     *
     * @param zero whether it must read as zero, also where it may show what its like left
     */
    boolean mustClean(int granule, Extent page, boolean zero) {
        return dirty[granule] > 0 && (zero || (page.grows && !byGrown[granule]));
    }

    /**
     * Says that a number of bytes of an extent may not read as zero, from its front; the caller
     * holds it.
     */
    void dirtied(Extent extent, long bytes) {
        int at = extent.first;
        for (long left = bytes; left > 0; left -= WHOLE) {
            byGrown[at] = extent.grows && (dirty[at] == 0 || byGrown[at]);
            dirty[at] = Math.max(dirty[at], (int) Math.min(left, WHOLE));
            at++;
        }
    }

    /** Says that what was dirty of a granule that the caller holds was zeroed. */
    void zeroed(int granule) {
        zeroed[granule] = Math.max(zeroed[granule], dirty[granule]);
        dirty[granule] = 0;
    }

    /** Says that a granule that the caller holds has no memory any more. */
    void uncommitted(int granule) {
        zeroed[granule] = 0;
        dirty[granule] = 0;
    }

    /** Says that all of a granule that the caller holds may be anything. */
    void unknown(int granule) {
        byGrown[granule] = false;
        dirty[granule] = WHOLE;
    }

    /** Says of the granules of an extent that they have no memory any more. */
    void uncommitted(Extent extent) {
        for (int i = extent.first; i < extent.first + extent.count; i++) {
            uncommitted(i);
        }
    }

    /** Forgets what is counted. */
    void forgetCount() {
        dirtyFrom = size;
        dirtyCount = 0;
    }
}
