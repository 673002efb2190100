package io.polder.chunk;

import java.util.Arrays;

/**
 * A fixed number of bits, and questions about ranges of them.
 *
 * <p><b>Failure.</b> A method that sets or clears bits makes no call after the first is changed:
 * whatever is thrown at its entry, all of the change happens or none of it.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link SpaceState} it belongs to.
 */
final class Bits {
    private static final int WORD_SHIFT = 6;

    /** The number of bits: what a search returns that finds nothing. */
    final int size;

    private final long[] words;

    /** So many bits, all clear. */
    Bits(int size) {
        this.size = size;
        this.words = new long[(size + Long.SIZE - 1) >>> WORD_SHIFT];
    }

    boolean get(int bit) {
        return (words[bit >>> WORD_SHIFT] & (1L << bit)) != 0;
    }

    void set(int bit) {
        words[bit >>> WORD_SHIFT] |= 1L << bit;
    }

    void clear(int bit) {
        words[bit >>> WORD_SHIFT] &= ~(1L << bit);
    }

    /** Sets one bit and clears another. */
    void replace(int cleared, int set) {
        words[cleared >>> WORD_SHIFT] &= ~(1L << cleared);
        words[set >>> WORD_SHIFT] |= 1L << set;
    }

    /** Sets {@code [from, to)}. */
    void set(int from, int to) {
        fill(from, to, -1L);
    }

    /** Clears {@code [from, to)}. */
    void clear(int from, int to) {
        fill(from, to, 0L);
    }

    private void fill(int from, int to, long with) {
        if (from >= to) {
            return;
        }
        int last = (to - 1) >>> WORD_SHIFT;
        long mask = -1L << from;
        for (int word = from >>> WORD_SHIFT; word < last; word++) {
            words[word] ^= (words[word] ^ with) & mask;
            mask = -1L;
        }
        words[last] ^= (words[last] ^ with) & mask & (-1L >>> -to);
    }

    /** Clears all. */
    void clear() {
        Arrays.fill(words, 0L);
    }

    /** Sets those of {@code [from, to)} that others have set; may be cut short in the middle. */
    void add(Bits others, int from, int to) {
        for (int word = from >>> WORD_SHIFT; word << WORD_SHIFT < to; word++) {
            words[word] |= others.words[word] & mask(word, from, to);
        }
    }

    /** Whether any bit of {@code [from, to)} is set. */
    boolean any(int from, int to) {
        return next(from, to, 0L) < to;
    }

    /** How many bits of {@code [from, to)} are set. */
    int count(int from, int to) {
        int count = 0;
        for (int word = from >>> WORD_SHIFT; word << WORD_SHIFT < to; word++) {
            count += Long.bitCount(words[word] & mask(word, from, to));
        }
        return count;
    }

    /** How many bits are set. */
    int count() {
        return count(0, size);
    }

    /** The first set bit from {@code from} on; {@link #size} if there is none. */
    int next(int from) {
        return next(from, size, 0L);
    }

    /** The first clear bit from {@code from} on; {@link #size} if there is none. */
    int nextClear(int from) {
        return next(from, size, -1L);
    }

    /** The first bit of {@code [from, to)} that is set once it is flipped; {@code to} if none. */
    private int next(int from, int to, long flipped) {
        int at = from;
        while (at < to) {
            long rest = (words[at >>> WORD_SHIFT] ^ flipped) & (-1L << at);
            if (rest != 0) {
                return Math.min(to, (at & -Long.SIZE) + Long.numberOfTrailingZeros(rest));
            }
            at = (at & -Long.SIZE) + Long.SIZE;
        }
        return to;
    }

    /** The bits of one word that lie in {@code [from, to)}. */
    private static long mask(int word, int from, int to) {
        long mask = -1L;
        if (word == from >>> WORD_SHIFT) {
            mask &= -1L << from;
        }
        if (word == (to - 1) >>> WORD_SHIFT) {
            mask &= -1L >>> -to;
        }
        return mask;
    }
}
