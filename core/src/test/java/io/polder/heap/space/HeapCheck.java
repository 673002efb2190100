package io.polder.heap.space;

import io.polder.gate.GateCheck;
import io.polder.heap.HeapStatistics;
import io.polder.page.space.Extent;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The invariants of a heap that nobody uses:
 *
 * <ul>
 *   <li>objects tile what is filled of their region, and every region is found by its addresses;
 *   <li>an object is alive iff the word of its slot names its address; then it is LIVE or PINNED;
 *   <li>each word that names an object names one in a region, and no other word names that;
 *   <li>what is alive in a region is what its words say, in objects and in bytes; at least that if
 *       operations were cut off;
 *   <li>all regions are STABLE;
 *   <li>pages taken are those of regions and of the handle table, and each region has one.
 * </ul>
 */
public final class HeapCheck {
    /**
     * What a heap has counted beyond its statistics.
     *
     * @param regions how many there are
     * @param evacuatedObjects how often a copy of an object was published
     * @param helpedObjects those of the evacuated ones that threads copied to change them
     * @param pinnedObjects how often a thread made an object stay where it was, to change it
     * @param refusedCopies how often there was no room for a copy
     */
    public record Counts(
            int regions,
            long evacuatedObjects,
            long helpedObjects,
            long pinnedObjects,
            long refusedCopies) {}

    private final boolean exact;
    private final HandleTable table;
    private final HandleLeaves leaves;
    private final Regions regions;
    private final RegionMap map;
    private final HeapPages pages;

    private HeapCheck(HeapSpace heap, boolean exact) {
        this.exact = exact;
        this.table = heap.table;
        this.leaves = heap.leaves;
        this.regions = heap.regions;
        this.map = heap.map;
        this.pages = heap.pages;
    }

    /** The counts of this moment. */
    public static Counts counts(HeapSpace heap) {
        return new Counts(
                heap.regions.list().size(),
                heap.counts.copiedObjects.sum(),
                heap.counts.helpedObjects.sum(),
                heap.counts.pinnedObjects.sum(),
                heap.counts.refusedCopies.sum());
    }

    /** Checks the invariants that hold while threads use the heap. */
    public static void verify(HeapSpace heap) {
        GateCheck.verify(heap.access);
        if (heap.evacuation.gate != null) {
            GateCheck.verify(heap.evacuation.gate);
        }
        heap.regions.list().forEach(HeapCheck::verify);
    }

    /** Checks also those that hold while nobody does, and no cycle is on. */
    public static void verifyAtRest(HeapSpace heap) {
        verifyAtRest(heap, true);
    }

    /** The same after operations were cut off: an object that died may not be counted. */
    public static void verifyAfterErrors(HeapSpace heap) {
        verifyAtRest(heap, false);
    }

    /** Its statistics while no cycle is on, which would count what it has copied twice. */
    static HeapStatistics statsAtRest(HeapSpace heap) {
        AtomicReference<HeapStatistics> stats = new AtomicReference<>(heap.stats());
        boolean _ =
                heap.compactor.locked(
                        () -> {
                            stats.set(heap.stats());
                            return false;
                        });
        return stats.get();
    }

    private static void verifyAtRest(HeapSpace heap, boolean exact) {
        heap.checkOutside("verifyAtRest()");
        heap.checkOpen();
        verify(heap);
        boolean _ =
                heap.compactor.locked(
                        () -> {
                            new HeapCheck(heap, exact).verifyAtRest();
                            return false;
                        });
    }

    /** Checks what holds of a region at every moment. */
    static void verify(Region region) {
        long died = region.dead();
        long all = region.filled();
        boolean holds =
                Region.bytes(died) <= Region.bytes(all)
                        && (died & Region.OBJECTS_MASK) <= (all & Region.OBJECTS_MASK)
                        && Region.bytes(all) <= region.bytes();
        check(holds, "0 <= dead <= filled <= bytes", region);
    }

    /** Checks the invariants of a table; nobody may be changing handles. */
    static void verify(HandleLeaves leaves) {
        synchronized (leaves) {
            Map<TablePages.Place, Integer> inPages = new HashMap<>();
            for (int leaf = 0; leaf < leaves.leafCount; leaf++) {
                long at = leaves.table.entry(leaf) & ~HandleTable.PACKED;
                inPages.merge(leaves.pages.placeLocked(at), 1, Integer::sum);
            }
            inPages.forEach(
                    (place, count) ->
                            check(
                                    place.page != null && count <= place.leaves,
                                    "a page counts its leaves",
                                    "leaves=" + count + ", counted=" + place.leaves));
            check(
                    leaves.freed.firstReusable() < leaves.leafCount,
                    "a reusable leaf exists",
                    "first=" + leaves.freed.firstReusable() + ", leafCount=" + leaves.leafCount);
        }
    }

    private void verifyAtRest() {
        verify(leaves);
        long words = words();
        long pageBytes = leaves.pageBytes();
        for (Region region : regions.copy(false)) {
            Extent page = region.page;
            check(page != null, "one without a page is gone", region);
            pageBytes += page == null ? 0 : page.bytes();
        }
        for (Region region : regions.list()) {
            verify(region);
            words -= verifyObjects(region);
        }
        check(words == 0, "each word names an object in a region", "others=" + words);
        check(pageBytes == pages.takenBytes(), "pages are of regions and the table", pages);
    }

    /** How many words name an object. */
    private long words() {
        long words = 0;
        for (int leaf = 0; leaf < leaves.leafCount(); leaf++) {
            for (int slot = 0; slot < HandleTable.LEAF_SLOTS; slot++) {
                long index = ((long) leaf << HandleTable.SLOT_BITS) + slot;
                long word = table.word(index);
                int state = HandleWordLayout.state(word);
                if (state == HandleWordLayout.FREE) {
                    continue;
                }
                if (state == HandleWordLayout.UNPINNED) {
                    check(false, "nothing moves", describe(index, word));
                }
                words++;
            }
        }
        return words;
    }

    /**
     * Checks a region, and returns how many of its objects are alive: those that are named by the
     * word of the slot in their header, which names no other object.
     */
    private long verifyObjects(Region region) {
        check(region.phase == Region.STABLE, "regions are stable at rest", region);
        check(map.at(region.address()) == region, "a region is found", region);
        check(map.at(region.address() + region.bytes() - 1) == region, "a region is found", region);
        long count = 0;
        long bytes = 0;
        long at = region.address();
        if (region.type == RegionType.LARGE) {
            at += Long.BYTES;
        }
        while (at < region.endOfObjects()) {
            long footprint = ObjectLayout.footprint(ObjectLayout.sizeBytes(at));
            boolean large = region.type == RegionType.LARGE;
            check(large || footprint <= region.largest, "none exceeds the largest", region);
            long word = table.word(ObjectLayout.index(at));
            if (HandleWordLayout.state(word) != HandleWordLayout.FREE
                    && HandleWordLayout.address(word) == at) {
                count++;
                bytes += footprint;
            }
            at += footprint;
        }
        check(at == region.endOfObjects() || region.filledBytes() == 0, "objects tile", region);
        if (region.type == RegionType.LARGE && count == 1) {
            bytes += Long.BYTES;
        }
        boolean counted = count == region.liveObjects() && bytes == region.liveBytes();
        boolean atLeast = count <= region.liveObjects() && bytes <= region.liveBytes();
        if (!(exact ? counted : atLeast)) {
            check(false, "words=" + count + ", wordsBytes=" + bytes, region);
        }
        return count;
    }

    private static String describe(Region region) {
        return "Region[address=0x"
                + Long.toHexString(region.address())
                + ", bytes="
                + region.bytes()
                + ", type="
                + region.type
                + ", retired="
                + region.isRetired()
                + ", filledBytes="
                + region.filledBytes()
                + ", deadBytes="
                + region.deadBytes()
                + ", liveObjects="
                + region.liveObjects()
                + ", phase="
                + region.phase
                + "]";
    }

    /** For messages. */
    static String describe(long word) {
        String state =
                switch (HandleWordLayout.state(word)) {
                    case HandleWordLayout.FREE -> "FREE";
                    case HandleWordLayout.LIVE -> "LIVE";
                    case HandleWordLayout.PINNED -> "PINNED";
                    default -> "UNPINNED";
                };
        return state
                + (HandleWordLayout.isFrozen(word) ? " frozen" : "")
                + " generation="
                + HandleWordLayout.generation(word)
                + " at 0x"
                + Long.toHexString(HandleWordLayout.address(word));
    }

    private static String describe(long index, long word) {
        return "index=" + index + ", word=" + describe(word);
    }

    private static void check(boolean holds, String rule, Region region) {
        if (!holds) {
            check(false, rule, describe(region));
        }
    }

    private static void check(boolean holds, String rule, Object dump) {
        if (!holds) {
            throw new AssertionError(rule + ": " + dump);
        }
    }
}
