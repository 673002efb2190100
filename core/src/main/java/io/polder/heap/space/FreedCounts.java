package io.polder.heap.space;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * How many slots of each leaf were freed since it was passed the last time, and which leaves are to
 * be passed again: the <i>reusable</i> ones.
 *
 * <pre>{@code
 *   a part:   | counts of 1024 leaves | 1024 bits: which of them are reusable |
 * }</pre>
 *
 * <p>Thread-safe: atomic operations, so that who frees waits for nobody. Parts never move, so
 * nothing is lost when there are more.
 */
final class FreedCounts {
    private static final int PART_BITS = 10;
    private static final int PART = 1 << PART_BITS;
    private static final int ALL = PART + PART / Integer.SIZE;
    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(int[].class);

    private volatile int[][] parts = {new int[ALL]};

    /**
     * Counts one more.
     *
     * @param enough with so many the leaf is reusable
     */
    void increment(int leaf, int enough) {
        int[] part = parts[leaf >>> PART_BITS];
        if ((int) COUNT.getAndAdd(part, leaf & (PART - 1), 1) + 1 == enough) {
            setReusable(leaf);
        }
    }

    /** How many there are. */
    int count(int leaf) {
        return (int) COUNT.getVolatile(parts[leaf >>> PART_BITS], leaf & (PART - 1));
    }

    /** Where in its part the bit of a leaf is. */
    private static int bits(int leaf) {
        return PART + (leaf & (PART - 1)) / Integer.SIZE;
    }

    /** Has a leaf passed again, whatever was freed. */
    void setReusable(int leaf) {
        int _ = (int) COUNT.getAndBitwiseOr(parts[leaf >>> PART_BITS], bits(leaf), 1 << leaf);
    }

    /** The lowest reusable leaf; -1 if there is none. */
    int firstReusable() {
        int[][] now = parts;
        for (int part = 0; part < now.length; part++) {
            for (int at = PART; at < ALL; at++) {
                int bits = (int) COUNT.getVolatile(now[part], at);
                if (bits != 0) {
                    int leaf = (at - PART) * Integer.SIZE + Integer.numberOfTrailingZeros(bits);
                    return (part << PART_BITS) + leaf;
                }
            }
        }
        return -1;
    }

    /**
     * Begins to count a leaf anew, which is not reusable, and makes room for its count; not by two
     * threads at once.
     */
    void reset(int leaf) {
        int[][] now = parts;
        int part = leaf >>> PART_BITS;
        if (part >= now.length) {
            int[][] more = Arrays.copyOf(now, part + 1);
            more[part] = new int[ALL];
            parts = more;
            now = more;
        }
        int _ = (int) COUNT.getAndBitwiseAnd(now[part], bits(leaf), ~(1 << leaf));
        COUNT.setVolatile(now[part], leaf & (PART - 1), 0); // last: what comes from now on counts
    }
}
