package io.polder.page.space;

/**
 * A fixed number of bits, of which the lowest, the highest and the next one set are found in a few
 * steps however many there are.
 *
 * <pre>{@code
 *   word 0      [ 1 0 1 ... ]              a bit for each word below that is not zero
 *                 |   |
 *   from base   [ word ][ 0 ][ word ]      the bits
 * }</pre>
 *
 * <p>All levels are in one array, the top first: below word {@code i} are the words from {@code 64
 * i + 1} to {@code 64 i + 64}. The last level has only as many as it needs.
 *
 * <p>Invariant: a bit above the last level is set iff the word below it is not zero; {@code count}
 * is how many bits are set.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link PageState} it belongs to.
 */
final class BitTree {
    /** There is no such bit. */
    static final int NONE = -1;

    private static final int SHIFT = 6;
    private static final int MASK = Long.SIZE - 1;

    final long[] words;

    /** The first word of the last level. */
    final int base;

    private int count;

    /** So many bits, 1 or more, all clear. */
    BitTree(int size) {
        int leaves = (size + MASK) >>> SHIFT;
        int above = 0;
        for (int level = 1; level < leaves; level <<= SHIFT) {
            above += level;
        }
        base = above;
        words = new long[above + leaves];
    }

    boolean get(int bit) {
        return (words[base + (bit >>> SHIFT)] & (1L << bit)) != 0;
    }

    void set(int bit) {
        int word = base + (bit >>> SHIFT);
        long before = words[word];
        words[word] = before | (1L << bit);
        count += (before & (1L << bit)) == 0 ? 1 : 0;
        while (before == 0 && word > 0) {
            int at = word - 1;
            word = at >>> SHIFT;
            before = words[word];
            words[word] = before | (1L << at);
        }
    }

    void clear(int bit) {
        int word = base + (bit >>> SHIFT);
        long before = words[word];
        long after = before & ~(1L << bit);
        words[word] = after;
        count -= before == after ? 0 : 1;
        while (after == 0 && word > 0) {
            int at = word - 1;
            word = at >>> SHIFT;
            after = words[word] & ~(1L << at);
            words[word] = after;
        }
    }

    /** Clears all, also where the invariant does not hold. */
    void clearAll() {
        for (int i = 0; i < words.length; i++) {
            words[i] = 0;
        }
        count = 0;
    }

    /** How many bits are set. */
    int count() {
        return count;
    }

    boolean isEmpty() {
        return words[0] == 0;
    }

    /** The lowest bit that is set, or {@link #NONE}. */
    int first() {
        if (isEmpty()) {
            return NONE;
        }
        int word = 0;
        while (word < base) {
            word = below(word, Long.numberOfTrailingZeros(words[word]));
        }
        return bit(word, Long.numberOfTrailingZeros(words[word]));
    }

    /** The highest bit that is set, or {@link #NONE}. */
    int last() {
        return isEmpty() ? NONE : lastBelow(0, highest(words[0]));
    }

    /** The highest bit below {@code bit} that is set, or {@link #NONE}. */
    int before(int bit) {
        int word = base + (bit >>> SHIFT);
        int at = bit;
        long lower = words[word] & ~(-1L << at);
        while (lower == 0 && word > 0) {
            at = word - 1;
            word = at >>> SHIFT;
            lower = words[word] & ~(-1L << at);
        }
        return lower == 0 ? NONE : lastBelow(word, highest(lower));
    }

    /** The highest bit that is set and is a bit of a word, or below that. */
    private int lastBelow(int top, int bitOfTop) {
        int word = top;
        int at = bitOfTop;
        while (word < base) {
            word = below(word, at);
            at = highest(words[word]);
        }
        return bit(word, at);
    }

    private int bit(int word, int bitOfWord) {
        return ((word - base) << SHIFT) + bitOfWord;
    }

    private static int below(int word, int bitOfWord) {
        return (word << SHIFT) + bitOfWord + 1;
    }

    private static int highest(long bits) {
        return MASK - Long.numberOfLeadingZeros(bits);
    }
}
