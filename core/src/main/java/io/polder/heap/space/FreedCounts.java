package io.polder.heap.space;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * How many slots of each leaf were freed since it was passed the last time.
 *
 * <p>Thread-safe. Counts lie in parts that never move, so none is lost when there are more.
 */
final class FreedCounts {
    private static final int PART_BITS = 10;
    private static final int PART = 1 << PART_BITS;
    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(int[].class);

    private volatile int[][] parts = {new int[PART]};

    /** Counts one more; returns how many there are now. */
    int increment(int leaf) {
        return (int) COUNT.getAndAdd(parts[leaf >>> PART_BITS], leaf & (PART - 1), 1) + 1;
    }

    /** How many there are. */
    int count(int leaf) {
        return (int) COUNT.getVolatile(parts[leaf >>> PART_BITS], leaf & (PART - 1));
    }

    /** Begins to count a leaf anew, and makes room for its count; not by two threads at once. */
    void reset(int leaf) {
        int[][] now = parts;
        int part = leaf >>> PART_BITS;
        if (part >= now.length) {
            int[][] more = new int[part + 1][];
            System.arraycopy(now, 0, more, 0, now.length);
            more[part] = new int[PART];
            parts = more;
            now = more;
        }
        COUNT.setVolatile(now[part], leaf & (PART - 1), 0);
    }
}
