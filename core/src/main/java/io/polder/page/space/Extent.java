package io.polder.page.space;

import org.jspecify.annotations.Nullable;

import java.util.BitSet;

/**
 * Neighbouring granules of one reservation that are in one state. The extents of a reservation tile
 * it.
 *
 * <pre>{@code
 *           take             give
 *   WARM <---------> TAKEN -------> WARM         free with memory behind it: a run
 *    |  ^
 *    v  |  assembled, refused
 *   CLAIMED ---------------------> COLD          in hand, to be moved or uncommitted
 *    ^                              |
 *    +------------------------------+            COLD: free, addresses only
 * }</pre>
 *
 * <p>One that is taken is what a page is made of: it belongs to whoever took it, and its address
 * and size stay. All else is guarded by the lock of the {@link PageState}; extents that are free
 * grow, shrink and end without notice.
 */
public final class Extent {

    /** What the granules of an extent are. */
    enum State {
        /** Free, with memory behind all of it. */
        WARM,
        /** Free, without memory. */
        COLD,
        /** Somebody's page. */
        TAKEN,
        /** In the hands of a thread that assembles, uncommits or cleans. */
        CLAIMED
    }

    /** Says of the first granule that it is dirty; never changed. */
    static final BitSet FIRST = BitSet.valueOf(new long[] {1});

    final Area area;
    int first;
    int count;
    State state;

    /**
     * Which of its granules may not read as zero, counted from its first, while it is taken or
     * claimed; null if all do. The set itself never changes. Of free granules the {@link Area}
     * knows.
     */
    @Nullable BitSet dirty;

    Extent(Area area, int first, int count, State state) {
        this.area = area;
        this.first = first;
        this.count = count;
        this.state = state;
    }

    /** The address of its first byte, a multiple of the granule. */
    public long address() {
        return area.address(first);
    }

    /** Its size in bytes, a multiple of the granule. */
    public long bytes() {
        return Granules.bytes(count);
    }

    /** Adds its first granules to those that are dirty. */
    void dirtied(int granules) {
        if (granules == 1 && count == 1) {
            dirty = FIRST;
        } else if (granules > 0) {
            BitSet all = new BitSet(granules);
            all.set(0, granules);
            if (dirty != null) {
                all.or(dirty);
            }
            dirty = all;
        }
    }

    /** The index after its last granule. */
    int end() {
        return first + count;
    }

    @Override
    public String toString() {
        return state + " [" + first + ", " + end() + ") at 0x" + Long.toHexString(address());
    }
}
