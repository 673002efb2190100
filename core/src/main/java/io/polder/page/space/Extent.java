package io.polder.page.space;

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

    final Area area;
    int first;
    int count;
    State state;

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

    /** The index after its last granule. */
    int end() {
        return first + count;
    }

    @Override
    public String toString() {
        return state + " [" + first + ", " + end() + ") at 0x" + Long.toHexString(address());
    }
}
