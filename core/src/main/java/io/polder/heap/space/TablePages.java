package io.polder.heap.space;

import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The pages of a handle table, from which leaves are cut one after the other.
 *
 * <pre>{@code
 *            cut up           full, or another one is begun       its leaves have moved
 *   AHEAD ---------> the cut page --------------------> ... ----------------------> unused: given
 *                                                                                   back after a
 *                                                                                   grace period
 * }</pre>
 *
 * <p>Which pages are used follows from the entries of the table's directory, and is found by
 * looking at all of them: so it does not matter where a move of leaves was cut off.
 *
 * <p>Failure. A place for a page is here before the page is taken and until it is given back; the
 * page is stored in it in place. Whoever is cut off in between leaves it to the next one.
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

        /** Whether nothing was cut from it yet. */
        boolean ahead = true;
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
     * @throws io.polder.memory.MemoryExhaustedException if there is no memory for a new one
     */
    long cutLocked(long bytes) {
        if (end - next < bytes) {
            Place place = findAhead();
            if (place == null) {
                place = takeLocked();
            }
            long address = address(place);
            place.ahead = false;
            cut = place;
            next = address;
            end = address + BYTES;
        }
        long at = next;
        next += bytes;
        return at;
    }

    /** Room that was cut last is needed up to here only. */
    void cutOnlyLocked(long to) {
        next = to;
    }

    private static long address(Place place) {
        Extent page = place.page;
        if (page == null) {
            throw new AssertionError("a place that is here has a page");
        }
        return page.address();
    }

    private @Nullable Place findAhead() {
        for (Place place : places) {
            if (place.ahead && place.page != null) {
                return place;
            }
        }
        return null;
    }

    /** Takes a page, to be cut up later. */
    Place takeLocked() {
        places.removeIf(place -> place.page == null);
        Place place = new Place();
        places.add(place);
        place.page = pages.take(BYTES);
        return place;
    }

    /** The next leaf is cut from another page than those that were cut by now. */
    void beginAnewLocked() {
        next = 0;
        end = 0;
        cut = null;
    }

    /** How many pages are there from which nothing was cut. */
    int aheadLocked() {
        int ahead = 0;
        for (Place place : places) {
            ahead += place.ahead && place.page != null ? 1 : 0;
        }
        return ahead;
    }

    /** Gives back pages from which nothing was cut. */
    void giveAheadLocked() {
        for (Place place : places) {
            if (place.ahead) {
                giveLocked(place, 0);
            }
        }
    }

    /** Gives a page back that nobody uses any more. */
    void giveLocked(Place place, long dirtyBytes) {
        Extent page = place.page;
        if (page != null) {
            pages.give(page, dirtyBytes);
            place.page = null;
        }
    }

    /** Gives back all pages of a table that nobody uses any more. */
    void giveAllLocked() {
        beginAnewLocked();
        places.forEach(place -> giveLocked(place, BYTES));
    }

    /** Pages in which there is no leaf, and from which none is cut. */
    List<Place> unusedLocked(HandleTable table, int leafCount) {
        long[] used = new long[leafCount + 1];
        for (int leaf = 0; leaf < leafCount; leaf++) {
            used[leaf] = table.entry(leaf) & -BYTES;
        }
        Arrays.sort(used);
        List<Place> unused = new ArrayList<>();
        for (Place place : places) {
            if (place.page != null
                    && !place.ahead
                    && place != cut
                    && Arrays.binarySearch(used, address(place)) < 0) {
                unused.add(place);
            }
        }
        return unused;
    }

    /** Whether a leaf lies in one of the pages. */
    boolean containsLocked(long at) {
        return places.stream()
                .anyMatch(place -> place.page != null && (at & -BYTES) == address(place));
    }

    long bytesLocked() {
        return places.stream().filter(place -> place.page != null).count() * BYTES;
    }
}
