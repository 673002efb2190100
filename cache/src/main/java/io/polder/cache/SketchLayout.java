package io.polder.cache;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * How often keys were asked for lately, those with an entry and others: a cache line of counters
 * for the keys of a few buckets.
 *
 * <pre>{@code
 *   word 0          how much was counted since all counters were halved
 *   words 1 to 7    112 counters of 4 bits
 * }</pre>
 *
 * <p>Each key has four of the counters, by bits of its hash that neither choose its bucket nor its
 * tag, and shares each of them with others: the least of the four is nearest to the truth, and
 * only those that are the least are raised. When the keys of a line were counted so many times for
 * each of its entries, its counters are halved. So there is no moment at which all of them must
 * be halved.
 *
 * <p>Any thread may count at any time; what two threads count at the same time may be counted once,
 * which does no harm.
 */
final class SketchLayout {
    static final int COUNT_MAX = 15;

    private static final int KEYS_COUNTERS = 4;
    private static final int COUNTERS = 112;
    private static final int WORD_SHIFT = 4;
    private static final int COUNTERS_PER_WORD = 1 << WORD_SHIFT;
    private static final int POSITION_BITS = 8;
    private static final int FIRST_BIT = 25;
    private static final long HALVES = 0x7777_7777_7777_7777L;

    /** Words are aligned; of what does not say so the JDK does not check it each time. */
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private SketchLayout() {}

    private static int position(long hash, int i) {
        int bits = (int) (hash >>> (FIRST_BIT + i * POSITION_BITS)) & ((1 << POSITION_BITS) - 1);
        return (bits * COUNTERS) >>> POSITION_BITS;
    }

    /** Where the word of a counter is, in a line that begins at an offset. */
    private static long offset(long at, int position) {
        return at + ((1L + (position >>> WORD_SHIFT)) << 3);
    }

    private static int count(long word, int position) {
        return (int) (word >>> shift(position)) & COUNT_MAX;
    }

    private static int shift(int position) {
        return (position & (COUNTERS_PER_WORD - 1)) << 2;
    }

    /**
     * How often the key of a hash was counted, about; at most {@link #COUNT_MAX}.
     *
     * @param chunk where the line is
     * @param at where it begins there
     */
    static int count(MemorySegment chunk, long at, long hash) {
        int least = COUNT_MAX;
        for (int i = 0; i < KEYS_COUNTERS; i++) {
            int position = position(hash, i);
            least = Math.min(least, count(chunk.get(WORD, offset(at, position)), position));
        }
        return least;
    }

    /**
     * Counts the key of a hash once more.
     *
     * @return how much was counted since the counters were halved; 0 if this was not
     */
    static long add(MemorySegment chunk, long at, long hash) {
        int least = count(chunk, at, hash);
        if (least == COUNT_MAX) {
            return 0;
        }
        for (int i = 0; i < KEYS_COUNTERS; i++) {
            int position = position(hash, i);
            long counters = chunk.get(WORD, offset(at, position));
            if (count(counters, position) == least) {
                chunk.set(WORD, offset(at, position), counters + (1L << shift(position)));
            }
        }
        long added = chunk.get(WORD, at) + 1;
        chunk.set(WORD, at, added);
        return added;
    }

    /** Halves all counters, and what was counted. */
    static void halve(MemorySegment chunk, long at, long added) {
        chunk.set(WORD, at, added / 2);
        for (int position = 0; position < COUNTERS; position += COUNTERS_PER_WORD) {
            long counters = chunk.get(WORD, offset(at, position));
            chunk.set(WORD, offset(at, position), (counters >>> 1) & HALVES);
        }
    }
}
