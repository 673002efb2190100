package io.polder.page.space;

/**
 * A fixed number of bits, of which the lowest, the highest and the next one set are found in a few
 * steps however many there are.
 *
 * <pre>{@code
 *   level 1:   [ 1 0 1 ... ]            a bit for each word below that is not zero
 *                |   |
 *   level 0:   [ word ][ 0 ][ word ]    the bits
 * }</pre>
 *
 * <p>Invariant: bit {@code i} of a level is set iff word {@code i} of the level below is not zero;
 * the top level is one word.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link PageState} it belongs to.
 */
final class BitTree {
    /** There is no such bit. */
    static final int NONE = -1;

    static final int WORD_SHIFT = 6;
    private static final int WORD_MASK = Long.SIZE - 1;

    final long[][] levels;

    /** So many bits, 1 or more, all clear. */
    BitTree(int size) {
        int depth = 1;
        for (int words = words(size); words > 1; words = words(words)) {
            depth++;
        }
        levels = new long[depth][];
        int bits = size;
        for (int level = 0; level < depth; level++) {
            bits = words(bits);
            levels[level] = new long[bits];
        }
    }

    private static int words(int bits) {
        return (bits + WORD_MASK) >>> WORD_SHIFT;
    }

    boolean get(int bit) {
        return (levels[0][bit >>> WORD_SHIFT] & (1L << bit)) != 0;
    }

    void set(int bit) {
        int at = bit;
        for (long[] words : levels) {
            long before = words[at >>> WORD_SHIFT];
            words[at >>> WORD_SHIFT] = before | (1L << at);
            if (before != 0) {
                return;
            }
            at >>>= WORD_SHIFT;
        }
    }

    void clear(int bit) {
        int at = bit;
        for (long[] words : levels) {
            long after = words[at >>> WORD_SHIFT] & ~(1L << at);
            words[at >>> WORD_SHIFT] = after;
            if (after != 0) {
                return;
            }
            at >>>= WORD_SHIFT;
        }
    }

    /** Clears all, also where the invariant does not hold. */
    void clearAll() {
        for (int level = 0; level < levels.length; level++) {
            long[] words = levels[level];
            for (int i = 0; i < words.length; i++) {
                words[i] = 0;
            }
        }
    }

    boolean isEmpty() {
        return levels[levels.length - 1][0] == 0;
    }

    /** The lowest bit that is set, or {@link #NONE}. */
    int first() {
        return isEmpty() ? NONE : descendLow(levels.length - 1, 0);
    }

    /** The highest bit that is set, or {@link #NONE}. */
    int last() {
        return isEmpty() ? NONE : descendHigh(levels.length - 1, 0);
    }

    /** The highest bit below {@code bit} that is set, or {@link #NONE}. */
    int before(int bit) {
        int at = bit;
        for (int level = 0; level < levels.length; level++) {
            long below = levels[level][at >>> WORD_SHIFT] & ~(-1L << at);
            if (below != 0) {
                int found = (at & ~WORD_MASK) + WORD_MASK - Long.numberOfLeadingZeros(below);
                return level == 0 ? found : descendHigh(level - 1, found);
            }
            at >>>= WORD_SHIFT;
        }
        return NONE;
    }

    private int descendLow(int from, int word) {
        int at = word;
        for (int level = from; level >= 0; level--) {
            at = (at << WORD_SHIFT) + Long.numberOfTrailingZeros(levels[level][at]);
        }
        return at;
    }

    private int descendHigh(int from, int word) {
        int at = word;
        for (int level = from; level >= 0; level--) {
            at = (at << WORD_SHIFT) + WORD_MASK - Long.numberOfLeadingZeros(levels[level][at]);
        }
        return at;
    }
}
