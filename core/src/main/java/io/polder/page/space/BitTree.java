package io.polder.page.space;

import java.util.Arrays;

/**
 * A fixed number of bits, of which the lowest, the highest and the next one set are found fast.
 *
 * <pre>{@code
 *   word 0      [ 1 0 1 ... ]  ...         a bit for each word below that is not zero
 *                 |   |
 *   from base   [ word ][ 0 ][ word ]      the bits
 * }</pre>
 *
 * <p>A word of the top stands for 4096 bits, so only a few are looked through. A third level would
 * cost more with each change than it saves. Both are in one array.
 *
 * <p>Invariant: a bit before {@code base} is set iff the word it stands for is not zero; {@code
 * count} is how many bits are set.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link PageState} it belongs to.
 */
final class BitTree {
    /** There is no such bit. */
    static final int NONE = -1;

    private static final int SHIFT = 6;
    private static final int MASK = Long.SIZE - 1;

    final long[] words;

    /** The first word of the bits. */
    final int base;

    /** How many bits are set. */
    int count;

    /** So many bits, 1 or more, all clear. */
    BitTree(int size) {
        int leaves = (size + MASK) >>> SHIFT;
        base = (leaves + MASK) >>> SHIFT;
        words = new long[base + leaves];
    }

    boolean get(int bit) {
        return (words[base + (bit >>> SHIFT)] & (1L << bit)) != 0;
    }

    void set(int bit) {
        int leaf = bit >>> SHIFT;
        long before = words[base + leaf];
        words[base + leaf] = before | (1L << bit);
        words[leaf >>> SHIFT] |= 1L << leaf;
        count += (before & (1L << bit)) == 0 ? 1 : 0;
    }

    void clear(int bit) {
        int leaf = bit >>> SHIFT;
        long before = words[base + leaf];
        long after = before & ~(1L << bit);
        words[base + leaf] = after;
        if (after == 0) {
            words[leaf >>> SHIFT] &= ~(1L << leaf);
        }
        count -= before == after ? 0 : 1;
    }

    /** Clears all, also where the invariant does not hold. */
    void clearAll() {
        Arrays.fill(words, 0);
        count = 0;
    }

    /** The lowest bit that is set, or {@link #NONE}. */
    int first() {
        for (int top = 0; top < base; top++) {
            if (words[top] != 0) {
                int leaf = (top << SHIFT) + Long.numberOfTrailingZeros(words[top]);
                return (leaf << SHIFT) + Long.numberOfTrailingZeros(words[base + leaf]);
            }
        }
        return NONE;
    }

    /** The highest bit that is set, or {@link #NONE}. */
    int last() {
        return last(base - 1, -1);
    }

    /** The highest bit below {@code bit} that is set, or {@link #NONE}. */
    int before(int bit) {
        int leaf = bit >>> SHIFT;
        long lower = words[base + leaf] & ~(-1L << bit);
        return lower != 0 ? (leaf << SHIFT) + highest(lower) : last(leaf >>> SHIFT, ~(-1L << leaf));
    }

    /** The highest bit for which some bits of a word of the top stand, or words before it. */
    private int last(int from, long some) {
        int top = from;
        long bits = words[top] & some;
        while (bits == 0 && top > 0) {
            top--;
            bits = words[top];
        }
        if (bits == 0) {
            return NONE;
        }
        int leaf = (top << SHIFT) + highest(bits);
        return (leaf << SHIFT) + highest(words[base + leaf]);
    }

    private static int highest(long bits) {
        return MASK - Long.numberOfLeadingZeros(bits);
    }
}
