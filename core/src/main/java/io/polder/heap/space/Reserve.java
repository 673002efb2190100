package io.polder.heap.space;

import io.polder.memory.MemoryExhaustedException;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Empty pages that a heap keeps to evacuate to when it, or its pool, is full.
 *
 * <pre>{@code
 *   whole          [     12     ]        as much as the largest region has
 *   a page of 8    [ 4 ]                 of a cycle that had no other memory
 *   whole again    [ 4 ][   8   ]        from what the cycle gave back
 * }</pre>
 *
 * <p>It gives a cycle what its page needs, and no more: so a region that is smaller than the
 * reserve makes it whole again, with its page, which does not go back to the pool in between. It is
 * in pieces, so that nothing is given back for that: others of the pool would get it. Only a piece
 * that is larger than the page is given back, for a moment.
 *
 * <p>Failure. A piece that somebody was about to close is no part of it any more; it is closed
 * then, or retired and empty, and goes back like other regions.
 *
 * <p>Used under the monitor of {@link ToSpace}.
 */
final class Reserve {
    private final Regions regions;
    private final HeapPages pages;

    /** By rising size. */
    private final List<Region> pieces = new ArrayList<>();

    /** Nothing yet. */
    Reserve(Regions regions, HeapPages pages) {
        this.regions = regions;
        this.pages = pages;
    }

    /** How much is in it. */
    long bytes() {
        pieces.removeIf(piece -> !piece.open || piece.isRetired()); // of a thread that failed
        return pieces.stream().mapToLong(Region::bytes).sum();
    }

    /** The largest page in it; 0 if there is none. */
    long largest() {
        return pieces.isEmpty() ? 0 : pieces.getLast().bytes();
    }

    boolean has(Region region) {
        return pieces.contains(region);
    }

    /**
     * Makes it as large as that, or as there is memory for. In a closed pool, where nothing comes
     * in its place, the last piece stays that is more than that.
     */
    void keep(long wanted) {
        long has = bytes();
        while (has > wanted) {
            Region surplus = surplus(has, wanted);
            if (wanted > 0 && pages.isShut() && has - surplus.bytes() < wanted) {
                break;
            }
            close(surplus);
            has -= surplus.bytes();
        }
        long missing = Math.min(wanted - has, pages.roomToEvacuate());
        while (missing > 0) {
            Region piece = open(missing);
            if (piece != null) {
                addPiece(piece);
                missing = Math.min(wanted - bytes(), pages.roomToEvacuate());
            } else {
                missing = missing / 2 & -PageSpace.GRANULE_BYTES; // less is contiguous
            }
        }
        pages.reservedBytes = bytes();
    }

    /**
     * A page for a cycle: a piece, or one of the memory of pieces and of what there is beside them.
     * In a closed pool, where there is no other, it may be larger than what is asked for.
     *
     * @return null if there is none
     */
    @Nullable Region take(long pageBytes) {
        boolean hasOther = !pages.isShut();
        if (pageBytes > bytes() + (hasOther ? pages.roomToEvacuate() : 0)) {
            return null;
        }
        for (Region piece : pieces) {
            if (piece.bytes() == pageBytes || (!hasOther && piece.bytes() > pageBytes)) {
                boolean _ = pieces.remove(piece);
                pages.reservedBytes = bytes();
                return piece;
            }
        }
        while (hasOther && pages.roomToEvacuate() < pageBytes && !pieces.isEmpty()) {
            close(pieceFor(pageBytes - pages.roomToEvacuate()));
        }
        Region page = hasOther ? open(pageBytes) : null;
        if (hasOther && page == null && largest() >= pageBytes) { // what else is free lies apart
            close(pieceFor(pageBytes));
            page = open(pageBytes);
        }
        return page;
    }

    /** Has the page of a region that is closed with it; returns its bytes, 0 if it stays. */
    long add(Region region) {
        Region piece = regions.closeToReopen(region);
        if (piece == null) {
            return 0;
        }
        addPiece(piece);
        return piece.bytes();
    }

    private void addPiece(Region piece) {
        pieces.add(piece);
        pieces.sort((one, other) -> Long.compare(one.bytes(), other.bytes()));
        pages.reservedBytes = bytes();
    }

    /** The smallest, unless the largest is more than what is wanted, and the others are enough. */
    private Region surplus(long has, long wanted) {
        Region largest = pieces.getLast();
        boolean isTooLarge = largest.bytes() > wanted && has - largest.bytes() >= wanted;
        return isTooLarge ? largest : pieces.getFirst();
    }

    /** The smallest that is enough, or else the largest. */
    private Region pieceFor(long missing) {
        for (Region piece : pieces) {
            if (piece.bytes() >= missing) {
                return piece;
            }
        }
        return pieces.getLast();
    }

    private void close(Region piece) {
        pages.reservedBytes = bytes() - piece.bytes(); // first: new objects leave it from now on
        piece.retire();
        long _ = regions.close(piece);
        boolean _ = pieces.remove(piece);
    }

    /** A region to evacuate to; null if there is none, or the pool is closed. */
    @Nullable Region open(long bytes) {
        try {
            return regions.openToEvacuate(bytes);
        } catch (MemoryExhaustedException | IllegalStateException noneOrClosedPool) {
            return null;
        }
    }
}
