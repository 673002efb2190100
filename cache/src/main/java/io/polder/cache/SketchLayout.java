package io.polder.cache;

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
    private static final int COUNTERS_PER_WORD = 16;
    private static final int POSITION_BITS = 8;
    private static final int FIRST_BIT = 25;
    private static final long HALVES = 0x7777_7777_7777_7777L;

    private SketchLayout() {}

    private static int position(long hash, int i) {
        int bits = (int) (hash >>> (FIRST_BIT + i * POSITION_BITS)) & ((1 << POSITION_BITS) - 1);
        return (bits * COUNTERS) >>> POSITION_BITS;
    }

    private static int word(int position) {
        return 1 + position / COUNTERS_PER_WORD;
    }

    private static int shift(int position) {
        return position % COUNTERS_PER_WORD * 4;
    }

    private static int count(Lines lines, long line, int position) {
        return (int) (lines.getOpaque(line, word(position)) >>> shift(position)) & COUNT_MAX;
    }

    /** How often the key of a hash was counted, about; at most {@link #COUNT_MAX}. */
    static int count(Lines lines, long line, long hash) {
        int least = COUNT_MAX;
        for (int i = 0; i < KEYS_COUNTERS; i++) {
            least = Math.min(least, count(lines, line, position(hash, i)));
        }
        return least;
    }

    /**
     * Counts the key of a hash once more.
     *
     * @return how much was counted since the counters were halved; 0 if this was not
     */
    static long add(Lines lines, long line, long hash) {
        int least = count(lines, line, hash);
        if (least == COUNT_MAX) {
            return 0;
        }
        for (int i = 0; i < KEYS_COUNTERS; i++) {
            int position = position(hash, i);
            if (count(lines, line, position) == least) {
                int word = word(position);
                long counters = lines.getOpaque(line, word);
                lines.setOpaque(line, word, counters + (1L << shift(position)));
            }
        }
        long added = lines.getOpaque(line, 0) + 1;
        lines.setOpaque(line, 0, added);
        return added;
    }

    /** Halves all counters, and what was counted. */
    static void halve(Lines lines, long line, long added) {
        lines.setOpaque(line, 0, added / 2);
        for (int word = 1; word <= COUNTERS / COUNTERS_PER_WORD; word++) {
            lines.setOpaque(line, word, (lines.getOpaque(line, word) >>> 1) & HALVES);
        }
    }
}
