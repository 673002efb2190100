package io.polder.cache;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * How often keys were asked for lately, those with an entry and others: a cache line of counters
 * for the keys of two buckets.
 *
 * <pre>{@code
 *   word 0          63      37 36  32 31                    0
 *                  +----------+------+-----------------------+
 *                  |    0     | hand | counted since halving |
 *                  +----------+------+-----------------------+
 *   words 1 to 7    28 slots of 16 bits: fingerprint 12 bits | count 4 bits
 * }</pre>
 *
 * <p>A key has a slot of its own, by a fingerprint: bits of its hash that choose neither its bucket
 * nor its tag, and the one that says which of the two buckets it is. So what is counted of a key is
 * right, but for one of 4096 that has the fingerprint of another. A key without a slot takes the
 * next one from the hand on that was counted once at most; if there is none, it is not counted, and
 * the slot at the hand loses one. So many keys that are asked for once displace each other alone.
 *
 * <p>When the keys of a line were counted so many times for each of its entries, its counters are
 * halved. So there is no moment at which all of them must be halved.
 *
 * <p>Any thread may count at any time. Each change is made of one word as it was read; so what two
 * threads count at the same time may be counted once, which does no harm.
 */
final class SketchLayout {
    static final int COUNT_MAX = 15;

    private static final int WORDS = 7;
    private static final int SLOTS = 28;
    private static final int SLOT_BITS = 16;
    private static final int SLOTS_PER_WORD = 4;
    private static final int COUNT_BITS = 4;
    private static final int PRINT_FIRST_BIT = 45;
    private static final int PRINT_MASK = 0x7FF;
    private static final long SLOT = 0xFFFF;
    private static final long ONES = 0x0001_0001_0001_0001L;
    private static final long COUNTS = ONES * COUNT_MAX;
    private static final long HALVES = ONES * (COUNT_MAX >>> 1);
    private static final long PRINTS = ~COUNTS;
    private static final long HIGHEST = ONES << (SLOT_BITS - 1);
    private static final int HAND_SHIFT = 32;
    private static final long ADDED = (1L << HAND_SHIFT) - 1;

    /** Words are aligned; of what does not say so the JDK does not check it each time. */
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private SketchLayout() {}

    private static long get(MemorySegment chunk, long at, int word) {
        return chunk.get(WORD, at + (long) word * Long.BYTES);
    }

    private static void set(MemorySegment chunk, long at, int word, long value) {
        chunk.set(WORD, at + (long) word * Long.BYTES, value);
    }

    /** The bucket of a hash ends like the hash. */
    private static long fingerprint(long hash) {
        return (((hash >>> PRINT_FIRST_BIT) & PRINT_MASK) << 1) | (hash & 1);
    }

    /** Marks the slots of a word that have a fingerprint, by their highest bits. */
    private static long matches(long slots, long print) {
        long differs = (slots ^ ONES * (print << COUNT_BITS)) & PRINTS;
        return ~(((differs & ~HIGHEST) + ~HIGHEST) | differs) & HIGHEST;
    }

    /** Where the first slot that is marked begins, in bits. */
    private static int shift(long marks) {
        return Long.numberOfTrailingZeros(marks) - (SLOT_BITS - 1);
    }

    private static int count(long slots, int shift) {
        return (int) (slots >>> shift) & COUNT_MAX;
    }

    /**
     * How often the key of a hash was counted; at most {@link #COUNT_MAX}.
     *
     * @param chunk where the line is
     * @param at where it begins there
     */
    static int count(MemorySegment chunk, long at, long hash) {
        long print = fingerprint(hash);
        for (int word = 1; word <= WORDS; word++) {
            long slots = get(chunk, at, word);
            long marks = matches(slots, print);
            if (marks != 0) {
                return count(slots, shift(marks));
            }
        }
        return 0;
    }

    /**
     * Counts the key of a hash once more.
     *
     * @return how much was counted since the counters were halved; 0 if this was not
     */
    static long add(MemorySegment chunk, long at, long hash) {
        long print = fingerprint(hash);
        for (int word = 1; word <= WORDS; word++) {
            long slots = get(chunk, at, word);
            long marks = matches(slots, print);
            if (marks != 0) {
                int shift = shift(marks);
                if (count(slots, shift) == COUNT_MAX) {
                    return 0;
                }
                set(chunk, at, word, slots + (1L << shift));
                long counted = get(chunk, at, 0) + 1;
                set(chunk, at, 0, counted);
                return counted & ADDED;
            }
        }
        return added(chunk, at, takeSlot(chunk, at, print));
    }

    /** A new key takes a slot, if there is one for it; returns where the hand is then. */
    private static int takeSlot(MemorySegment chunk, long at, long print) {
        int hand = hand(chunk, at);
        for (int i = 0; i < SLOTS; i++) {
            int slot = (hand + i) % SLOTS;
            int word = 1 + slot / SLOTS_PER_WORD;
            int shift = slot % SLOTS_PER_WORD * SLOT_BITS;
            long slots = get(chunk, at, word);
            if (count(slots, shift) <= 1) {
                long taken = (print << COUNT_BITS) | 1;
                set(chunk, at, word, (slots & ~(SLOT << shift)) | (taken << shift));
                return (slot + 1) % SLOTS;
            }
        }
        int word = 1 + hand / SLOTS_PER_WORD;
        int shift = hand % SLOTS_PER_WORD * SLOT_BITS;
        long slots = get(chunk, at, word);
        if (count(slots, shift) != 0) {
            set(chunk, at, word, slots - (1L << shift));
        }
        return (hand + 1) % SLOTS;
    }

    private static int hand(MemorySegment chunk, long at) {
        return (int) (get(chunk, at, 0) >>> HAND_SHIFT) % SLOTS;
    }

    private static long added(MemorySegment chunk, long at, int hand) {
        long added = (get(chunk, at, 0) & ADDED) + 1;
        set(chunk, at, 0, ((long) hand << HAND_SHIFT) | added);
        return added;
    }

    /** Halves all counters, and what was counted. */
    static void halve(MemorySegment chunk, long at, long added) {
        set(chunk, at, 0, ((long) hand(chunk, at) << HAND_SHIFT) | (added / 2));
        for (int word = 1; word <= WORDS; word++) {
            long slots = get(chunk, at, word);
            set(chunk, at, word, (slots & PRINTS) | (((slots & COUNTS) >>> 1) & HALVES));
        }
    }
}
