package io.polder.heap.space;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The invariants of a heap that nobody uses:
 *
 * <ul>
 *   <li>objects tile what is filled of their region, and every region is found by its addresses;
 *   <li>an object is alive iff the word of its slot names its address; then it is LIVE or PINNED;
 *   <li>each word that names an object names one in a region;
 *   <li>what is alive in a region is what its words say, in objects and in bytes;
 *   <li>all regions are STABLE;
 *   <li>pages taken are those of regions and of the handle table.
 * </ul>
 */
final class HeapCheck {
    private final HandleTable table;
    private final HandleLeaves leaves;
    private final Regions regions;
    private final RegionMap map;
    private final HeapPages pages;

    HeapCheck(
            HandleTable table,
            HandleLeaves leaves,
            Regions regions,
            RegionMap map,
            HeapPages pages) {
        this.table = table;
        this.leaves = leaves;
        this.regions = regions;
        this.map = map;
        this.pages = pages;
    }

    void verify() {
        leaves.verify();
        Map<Long, Long> objects = wordsByAddress();
        long pageBytes = leaves.pageBytes();
        List<Region> all = regions.list();
        for (Region region : all) {
            region.verify();
            pageBytes += region.bytes();
            verify(region, objects);
        }
        check(objects.isEmpty(), "each word names an object in a region", objects);
        check(pageBytes == pages.takenBytes(), "pages are of regions and the table", pages);
    }

    private Map<Long, Long> wordsByAddress() {
        Map<Long, Long> words = new HashMap<>();
        for (int leaf = 0; leaf < leaves.leafCount(); leaf++) {
            for (int slot = 0; slot < HandleTable.LEAF_SLOTS; slot++) {
                long index = ((long) leaf << HandleTable.SLOT_BITS) + slot;
                long word = table.word(index);
                int state = HandleWordLayout.state(word);
                if (state == HandleWordLayout.FREE) {
                    continue;
                }
                check(state != HandleWordLayout.UNPINNED, "nothing moves", describe(index, word));
                Long other = words.put(HandleWordLayout.address(word), index);
                check(other == null, "one word for an object", describe(index, word));
            }
        }
        return words;
    }

    private void verify(Region region, Map<Long, Long> objects) {
        check(region.phase() == Region.STABLE, "regions are stable at rest", region);
        check(map.at(region.address()) == region, "a region is found", region);
        check(map.at(region.address() + region.bytes() - 1) == region, "a region is found", region);
        long count = 0;
        long bytes = 0;
        long at = region.address();
        if (region.type() == RegionType.LARGE) {
            at += Long.BYTES;
        }
        while (at < region.endOfObjects()) {
            long footprint = ObjectLayout.footprint(ObjectLayout.sizeBytes(at));
            Long index = objects.get(at);
            if (index != null && index == ObjectLayout.index(at)) {
                objects.remove(at);
                count++;
                bytes += footprint;
            }
            at += footprint;
        }
        check(at == region.endOfObjects() || region.filledBytes() == 0, "objects tile", region);
        if (region.type() == RegionType.LARGE && count == 1) {
            bytes += Long.BYTES;
        }
        check(count == region.liveObjects(), "live objects are counted: words=" + count, region);
        check(bytes == region.liveBytes(), "live bytes are counted: words=" + bytes, region);
    }

    private static String describe(long index, long word) {
        return "index=" + index + ", word=" + HandleWordLayout.describe(word);
    }

    private static void check(boolean holds, String rule, Object dump) {
        if (!holds) {
            throw new AssertionError(rule + ": " + dump);
        }
    }
}
