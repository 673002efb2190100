package io.polder.heap.space;

import java.util.Arrays;

/**
 * Goes through the regions in the order in which they were opened, and names what lives in them:
 * for those who choose what to free by where it lies, so that whole regions come free.
 *
 * <pre>{@code
 *    region 3          region 5          region 8
 *   +---+-----+--+    +--+----+----+    +----------+
 *   | x | x   |  | -> |  | x  ^    | -> |          |
 *   +---+-----+--+    +--+----|----+    +----------+
 *                     position 5, offset / 8
 *
 *   position    63           22 21          0
 *              +---------------+-------------+
 *              |  region       | offset / 8  |
 *              +---------------+-------------+
 * }</pre>
 *
 * <p>It looks at regions that are retired, in no collection set, and where something lives. All
 * that is seen inside the access gate, for each group of objects anew: a region of which that holds
 * then is not given back before the thread has left.
 *
 * <p>A position that was never given names fewer objects, and does no harm: an object counts only
 * if its word names the place, steps go on and stay in the region, and so does what is read. The
 * same is true where a thread has made room for an object and is about to write its header.
 *
 * <p>Thread-safe: no state.
 */
final class RegionWalk {
    private static final int OFFSET_BITS = 22;
    private static final long OFFSET_MASK = (1L << OFFSET_BITS) - 1;

    private RegionWalk() {}

    /**
     * Names the objects from a position on, all of one region; to be called inside the access gate.
     *
     * @param handles gets their handles, and 0 behind them
     * @return the position behind them; the same if there are none
     */
    static long next(HeapSpace heap, long position, long[] handles) {
        int count = 0;
        long after = position;
        while (count < handles.length && count == 0) {
            Region region = heap.regions.firstToWalk(after >>> OFFSET_BITS);
            if (region == null) {
                after = position;
                break;
            }
            boolean within = region.number == after >>> OFFSET_BITS;
            long offset = within ? (after & OFFSET_MASK) * ObjectLayout.ALIGNMENT_BYTES : 0;
            long at = region.firstObject() + offset;
            long end = region.endOfObjects();
            for (; at < end && count < handles.length; at = behind(region, at)) {
                long index = ObjectLayout.index(at);
                long word = heap.table.word(index);
                if (Evacuation.names(word, at)) {
                    handles[count++] = heap.lookup.handle(index, word);
                }
            }
            after = at < end ? position(region, at) : (region.number + 1) << OFFSET_BITS;
        }
        Arrays.fill(handles, count, handles.length, 0);
        return after;
    }

    /** Where the next object is; the end if there is none, or what stands there is no header. */
    private static long behind(Region region, long at) {
        long end = region.endOfObjects();
        long bytes = ObjectLayout.footprint(ObjectLayout.shortSizeBytes(at));
        return region.type != RegionType.LARGE && bytes <= end - at ? at + bytes : end;
    }

    private static long position(Region region, long at) {
        long offset = (at - region.firstObject()) / ObjectLayout.ALIGNMENT_BYTES;
        return region.number << OFFSET_BITS | offset;
    }
}
