package io.polder.heap.space;

import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * The pages of a handle table, from which leaves are cut one after the other.
 *
 * <pre>{@code
 *                   full, or another one is begun       its leaves have moved
 *   the cut page -------------------------------> ... ----------------------> unused: given back
 *                                                                             after a grace period
 * }</pre>
 *
 * <p>Invariant: a page counts at least the leaves in it. A leaf is counted before the directory
 * names it, and until after it names another place.
 *
 * <p>Failure. A place for a page is here before the page is taken and until it is given back; the
 * page is stored in it in place. A page of a thread that failed before it cut it is unused. A
 * leaf that was counted and is not there keeps its page until the heap is closed.
 *
 * <p>There is a page for 262,144 handles, so that of an address is looked for among all.
 *
 * <p>All is guarded by the monitor of the {@link HandleLeaves} they belong to.
 */
final class TablePages {
    /** Pages of the table are of this size. */
    static final long BYTES = PageSpace.GRANULE_BYTES;

    /** Where a page of the table is, or will be. */
    static final class Place {
        /** Null before it was taken and after it was given back. */
        @Nullable Extent page;

        /** How many leaves are in it, at most. */
        int leaves;
    }

    private final HeapPages pages;
    private final List<Place> places = new ArrayList<>();
    private @Nullable Place cut;
    private long next;
    private long end;

    TablePages(HeapPages pages) {
        this.pages = pages;
    }

    /**
     * Room for a leaf, in the page that is cut up, or in another one.
     *
     * @param lastRoom whether that may be what is left to evacuate objects to
     * @throws io.polder.memory.MemoryExhaustedException if there is no memory for a new one
     */
    long cutLocked(long bytes, boolean lastRoom) {
        if (end - next < bytes) {
            beginAnewLocked(lastRoom);
        }
        long at = next;
        next += bytes;
        return at;
    }

    /** Room that was cut last is needed up to here only. */
    void cutOnlyLocked(long to) {
        next = to;
    }

    /** A leaf is about to be where there was room for one. */
    void enteredLocked(long at) {
        placeLocked(at).leaves++;
    }

    /** A leaf is not there any more. */
    void leftLocked(long at) {
        placeLocked(at).leaves--;
    }

    /** Of an address in a page. */
    Place placeLocked(long at) {
        for (Place place : places) {
            if (place.page != null && place.page.address() == (at & -BYTES)) {
                return place;
            }
        }
        throw new AssertionError("a leaf lies in a page: at=0x" + Long.toHexString(at));
    }

    /**
     * Takes a page: the next leaf is cut from it.
     *
     * @param lastRoom as above
     */
    void beginAnewLocked(boolean lastRoom) {
        places.removeIf(place -> place.page == null);
        Place place = new Place();
        places.add(place);
        Extent page = lastRoom ? pages.takeToEvacuate(BYTES) : pages.take(BYTES);
        place.page = page;
        pages.adviseHugePages(page);
        cut = place;
        next = page.address();
        end = next + BYTES;
    }

    /** Gives a page back that nobody uses any more. */
    void giveLocked(Place place) {
        Extent page = place.page;
        if (page != null) {
            pages.give(page, BYTES);
            place.page = null;
        }
    }

    /** Gives back all pages of a table that nobody uses any more. */
    void giveAllLocked() {
        places.forEach(this::giveLocked);
    }

    /** Pages in which there is no leaf, and from which none is cut. */
    List<Place> unusedLocked() {
        List<Place> unused = new ArrayList<>();
        for (Place place : places) {
            if (place.page != null && place != cut && place.leaves == 0) {
                unused.add(place);
            }
        }
        return unused;
    }

    long bytesLocked() {
        long bytes = 0;
        for (Place place : places) {
            bytes += place.page == null ? 0 : BYTES;
        }
        return bytes;
    }
}
