package io.polder.page.space;

import org.jspecify.annotations.Nullable;

/**
 * Neighbouring granules of one reservation that somebody has: a page, or what is isolated.
 *
 * <pre>{@code
 *           take                  give
 *   GONE ---------> TAKEN ------------------+
 *     |               ^                     v
 *     | isolate       | assembled         GONE     its granules are free: warm or cold
 *     +----------> ISOLATED -----------------^
 *                          put back
 * }</pre>
 *
 * <p>It is made before it is needed, without granules, so that nothing is allocated in the middle
 * of a change, and is of no use any more once its granules are free. One that is taken is what a
 * page is made of: it belongs to the thread that took it, and its address and size stay.
 *
 * <p><b>Abandoned.</b> A thread that takes a page and cannot return it stores {@link #abandoned};
 * one that isolates some stores that the {@link Isolation} is over. What becomes of the granules
 * then, the extent says itself, at every moment: those from {@code warmFrom} to {@code warmTo} are
 * free with memory, the others without.
 *
 * <pre>{@code
 *   isolated with memory    [0, count)      until it was uncommitted: then none
 *   ... as a source        [gone, count)   its first granules have gone to the target
 *   isolated without        none
 *   ... as a target        [0, came)       its first granules have come
 * }</pre>
 *
 * <p><b>Locking.</b> The lock of the {@link PageState}, but for what only its owner writes:
 * {@code abandoned}, {@code warmFrom} and {@code warmTo}.
 */
public final class Extent {

    /** What the granules of an extent are. */
    enum State {
        /** Not its own: not yet, or no longer. */
        GONE,
        /** Somebody's page. */
        TAKEN,
        /** In the hands of a thread that moves, uncommits, renews, releases or cleans it. */
        ISOLATED,
        /** Not there: see {@link PageState#takeOutLost}. */
        LOST
    }

    @Nullable PageReservation reservation;
    private long address;
    int first;
    int count;
    State state = State.GONE;

    /** What it was isolated with; null if it was not. */
    @Nullable Isolation isolation;

    /**
     * Nobody will give it or put it back: the thread that had it could not. Volatile, as {@link
     * Isolation#ended} is: who sees it also sees what it has, and all that was written there.
     */
    volatile boolean abandoned;

    /** It is to be extended: see {@link PageRequests}. Stays as it was made. */
    final boolean grows;

    /** It has grown before, and gets addresses for several times its size. */
    final boolean growsFar;

    int warmFrom;
    int warmTo;

    /** How many granules are charged for it. */
    int charged;

    /** It is a target of which nothing was moved, neither now nor before. */
    boolean atHome;

    /** Fresh addresses may have replaced it. */
    boolean renewing;

    /** One without granules; says whether it is for a page that may grow. */
    Extent(boolean grows) {
        this(grows, false);
    }

    Extent(boolean grows, boolean growsFar) {
        this.grows = grows;
        this.growsFar = growsFar;
    }

    /**
     * What it is to be; says nothing to others yet.
     *
     * @param whose what it is isolated with; null if it is not
     * @return itself
     */
    Extent prepared(PageReservation where, int from, int granules, @Nullable Isolation whose) {
        reservation = where;
        address = where.address(from);
        first = from;
        count = granules;
        isolation = whose;
        warmFrom = 0;
        warmTo = 0;
        charged = 0;
        atHome = false;
        renewing = false;
        return this;
    }

    /** Where it is. */
    PageReservation reservation() {
        PageReservation where = reservation;
        if (where == null) {
            throw new AssertionError("an extent that is used has granules: extent=" + this);
        }
        return where;
    }

    /** The address of its first byte, a multiple of the granule. */
    public long address() {
        return address;
    }

    /** Its size in bytes, a multiple of the granule. */
    public long bytes() {
        return Granules.bytes(count);
    }

    /** The index after its last granule. */
    int end() {
        return first + count;
    }

    /** Whether who had it has it no longer, and left it behind. */
    boolean isAbandoned() {
        Isolation whose = isolation;
        return whose == null ? abandoned : whose.ended;
    }

    @Override
    public String toString() {
        return state + " [" + first + ", " + end() + ") at 0x" + Long.toHexString(address);
    }
}
