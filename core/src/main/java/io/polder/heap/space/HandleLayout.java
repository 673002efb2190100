package io.polder.heap.space;

/**
 * What names an object outside the heap.
 *
 * <pre>{@code
 *   63       56 55          40 39                                        0
 *  +-----------+--------------+-------------------------------------------+
 *  |    tag    |  generation  |   index of the slot in the handle table   |
 *  +-----------+--------------+-------------------------------------------+
 * }</pre>
 *
 * <p>The tag is the heap's, from 1 on: heaps opened one after another have different ones, and 0 is
 * no handle. Generations begin at 1.
 */
final class HandleLayout {
    /** Slots that can be named. */
    static final long INDEX_MAX = (1L << 40) - 1;

    /** Different tags, from 1 to this. */
    static final int TAG_MAX = 255;

    /** A tag that no handle has. */
    static final int NO_TAG = TAG_MAX + 1;

    private static final int GENERATION_SHIFT = 40;
    private static final int TAG_SHIFT = 56;

    private HandleLayout() {}

    /** The tag of a heap, of which so many were opened before. */
    static int tagOf(long heapsBefore) {
        return (int) (heapsBefore % TAG_MAX) + 1;
    }

    static long of(int tag, int generation, long index) {
        return ((long) tag << TAG_SHIFT) | ((long) generation << GENERATION_SHIFT) | index;
    }

    /** The generation, if the tag is this one; no generation if it is another. */
    static long generationIf(long handle, int tag) {
        return (handle >>> GENERATION_SHIFT) ^ ((long) tag << (TAG_SHIFT - GENERATION_SHIFT));
    }

    static int tag(long handle) {
        return (int) (handle >>> TAG_SHIFT);
    }

    static int generation(long handle) {
        return (int) (handle >>> GENERATION_SHIFT) & 0xFFFF;
    }

    static long index(long handle) {
        return handle & INDEX_MAX;
    }
}
