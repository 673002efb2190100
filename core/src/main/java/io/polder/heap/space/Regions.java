package io.polder.heap.space;

import io.polder.page.space.Extent;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/**
 * All regions of a heap.
 *
 * <p>Invariants: an open region is here and in the {@link RegionMap} from before its first object
 * until after the grace period that follows its last; the pages taken are those of the regions here
 * and of the handle table.
 *
 * <p>A region whose bytes are still {@linkplain Loans lent} stays open, and in the map, whatever
 * wants to close it, until a later attempt finds that nobody can use the segment any more.
 *
 * <p>Failure. A region is here before its page is taken, and until that is given back. One whose
 * opening or closing fails keeps its page and is not open, so that nobody uses it, until the
 * heap is closed. So does a large one, before its object is there. A page passes from one region to
 * the next by stores in place, and so does one that is gone say that: it is dropped from the list
 * when others are opened, or all are looked at.
 *
 * <p>Thread-safe: a monitor around the list, with nothing else under it.
 */
final class Regions {
    /** How many are opened between two looks which are gone, at least: guessed. */
    private static final int OPENED_MASK = 63;

    private final HeapPages pages;
    final RegionMap map;
    private final Loans loans;
    private final Object lock = new Object();

    /** By rising number: who walks a large heap looks for the next one often. */
    private List<Region> all = new ArrayList<>();

    private long opened;

    /** What came and went in those that were dropped. */
    private long usedBefore;

    Regions(HeapPages pages, RegionMap map, Loans loans) {
        this.pages = pages;
        this.map = map;
        this.loans = loans;
    }

    /**
     * A new region of objects that share it, in a page of its own.
     *
     * @param bytes of the page, whole granules
     * @throws io.polder.memory.MemoryExhaustedException if a limit or the system is in the way
     */
    Region open(RegionType type, long bytes) {
        return open(new Region(type), bytes, pages::take);
    }

    /** A new region to evacuate to. */
    Region openToEvacuate(long bytes) {
        return open(new Region(RegionType.SMALL), bytes, pages::takeToEvacuate);
    }

    /**
     * A new region for one large object, which nobody can find before it is {@linkplain
     * Region#fillWithOne filled}, or {@linkplain #closeUnused closed}.
     */
    Region takeLarge(long sizeBytes) {
        return take(new Region(RegionType.LARGE), RegionType.largeBytes(sizeBytes), pages::take);
    }

    /**
     * Writes what its object is to begin with, unless all are given back: in a monitor of its own,
     * as that may take long.
     */
    void fillUnused(Region large, long sizeBytes, @Nullable MemorySegment content) {
        synchronized (large) {
            if (!pages.ended) {
                long footprint = ObjectLayout.footprint(sizeBytes);
                large.dirtyBefore = Long.BYTES + footprint;
                NewObjects.fill(large.firstObject(), footprint, content);
            }
        }
    }

    /** Gives one back that has no object, unless all are given back. */
    void closeUnused(Region large) {
        if (!pages.ended) {
            giveBack(large);
        }
    }

    private Region open(Region region, long bytes, LongFunction<Extent> pageTaker) {
        Region opened = take(region, bytes, pageTaker);
        opened.open = true;
        return opened;
    }

    private Region take(Region region, long bytes, LongFunction<Extent> pageTaker) {
        synchronized (lock) {
            if ((opened & OPENED_MASK) == 0) {
                dropGoneLocked();
            }
            region.number = opened++;
            boolean _ = all.add(region);
        }
        try {
            region.page = pageTaker.apply(bytes);
        } catch (Throwable refused) {
            region.gone = true;
            throw refused;
        }
        pages.adviseHugePages(region.page);
        region.begin();
        map.add(region);
        return region;
    }

    private void dropGoneLocked() {
        List<Region> kept = new ArrayList<>();
        long used = usedBefore;
        for (Region region : all) {
            if (region.gone) {
                used += region.usedBytes();
            } else {
                boolean _ = kept.add(region);
            }
        }
        usedBefore = used; // in place, like the next
        all = kept;
    }

    /**
     * Gives a region's page back, in which nobody can find an object any more, unless it is lent.
     *
     * @return how many bytes
     */
    long close(Region region) {
        if (!region.open || stays(region)) {
            return 0;
        }
        giveBack(region);
        return region.bytes();
    }

    /**
     * Closes a region as {@link #close} does, and opens one to evacuate to in its page.
     *
     * @return null if it stays
     */
    @Nullable Region closeToReopen(Region region) {
        if (!region.open || stays(region)) {
            return null;
        }
        Region next = new Region(RegionType.SMALL);
        next.dirtyBefore = region.dirtyBytes();
        return open(next, region.bytes(), _ -> passOn(region));
    }

    /** Closes it as well, from here on in place: who is cut off before leaves it open. */
    private Extent passOn(Region region) {
        pages.countGiven();
        Extent page = Objects.requireNonNull(region.page);
        region.open = false;
        region.page = null;
        region.gone = true;
        return page;
    }

    /** One that stays is in no collection set: nothing lives there whose word a cycle changes. */
    private boolean stays(Region region) {
        if (!loans.hold(region)) {
            return false;
        }
        region.lent = true;
        region.phase = Region.STABLE;
        region.inCollectionSet = false;
        return true;
    }

    /** Lets none be opened any more. */
    void end() {
        pages.ended = true;
    }

    /** Closes all that are not lent, also those that a thread which failed has left behind. */
    void closeAll() {
        for (Region region : copy(false)) {
            if (!stays(region)) {
                synchronized (region) { // who fills it has ended, or is refused
                    giveBack(region);
                }
            }
        }
    }

    private void giveBack(Region region) {
        region.open = false;
        Extent page = region.page;
        if (page != null) {
            map.remove(region);
            pages.give(page, region.dirtyBytes());
            region.page = null;
        }
        region.gone = true;
    }

    /** The regions of this moment. */
    List<Region> list() {
        List<Region> open = copy(true);
        for (Region region : open) {
            if (region.lent) {
                region.lent = loans.hold(region);
            }
        }
        return open;
    }

    /** Those that are open, or all. */
    List<Region> copy(boolean onlyOpen) {
        synchronized (lock) {
            dropGoneLocked();
            List<Region> copy = new ArrayList<>();
            for (Region region : all) {
                if (region.open || !onlyOpen) {
                    copy.add(region);
                }
            }
            return copy;
        }
    }

    /** What came and went since the heap was opened: grows with each object, and never sinks. */
    long usedBytes() {
        synchronized (lock) {
            long used = usedBefore;
            for (Region region : all) {
                used += region.usedBytes();
            }
            return used;
        }
    }

    /** A figure of each region of this moment, summed up. */
    long sum(ToLongFunction<Region> figure) {
        return list().stream().mapToLong(figure).sum();
    }

    /** The first region that may be walked, from a number on; null if there is none. */
    @Nullable Region firstToWalk(long number) {
        synchronized (lock) {
            int from = 0;
            for (int to = all.size(); from < to; ) {
                int middle = (from + to) >>> 1;
                if (all.get(middle).number < number) {
                    from = middle + 1;
                } else {
                    to = middle;
                }
            }
            for (; from < all.size(); from++) {
                if (all.get(from).mayBeWalked()) {
                    return all.get(from);
                }
            }
            return null;
        }
    }

    int count() {
        return copy(false).size();
    }
}
