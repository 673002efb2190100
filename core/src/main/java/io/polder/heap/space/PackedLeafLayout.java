package io.polder.heap.space;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import io.polder.memory.Zeroing;

import java.lang.foreign.ValueLayout;

/**
 * A leaf of the handle table most of whose slots are free.
 *
 * <pre>{@code
 *   0        8                              72
 *   +--------+------------------------------+----------------------------------+
 *   | floor  |  bitmap: which slots         |  their words, in order of slots  |
 *   +--------+------------------------------+----------------------------------+
 * }</pre>
 *
 * <p>The floor is the greatest generation among slots that are not there. All but the words is
 * written before the leaf is published, and never changes.
 */
final class PackedLeafLayout {
    private static final long BITMAP = 8;
    private static final int BITMAP_WORDS = HandleTable.LEAF_SLOTS / Long.SIZE;
    private static final long WORDS = BITMAP + BITMAP_WORDS * (long) Long.BYTES;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private PackedLeafLayout() {}

    /** The size of a leaf with so many words. */
    static long bytes(int words) {
        return WORDS + words * (long) Long.BYTES;
    }

    static int floor(long leaf) {
        return (int) ADDRESS_SPACE.get(WORD, leaf);
    }

    static void setFloor(long leaf, int generation) {
        ADDRESS_SPACE.set(WORD, leaf, generation);
    }

    static void clearBitmap(long leaf) {
        Zeroing.zeroExactly(leaf + BITMAP, WORDS - BITMAP);
    }

    /** Adds the next slot; slots come in order. */
    static void add(long leaf, int slot, int position, long word) {
        long bits = leaf + BITMAP + slot / Long.SIZE * (long) Long.BYTES;
        ADDRESS_SPACE.set(WORD, bits, ADDRESS_SPACE.get(WORD, bits) | 1L << slot);
        ADDRESS_SPACE.set(WORD, leaf + WORDS + position * (long) Long.BYTES, word);
    }

    /** Where the word of a slot is; 0 if it is not there. */
    static long wordAddress(long leaf, int slot) {
        int last = slot / Long.SIZE;
        long bits = ADDRESS_SPACE.get(WORD, leaf + BITMAP + last * (long) Long.BYTES);
        if ((bits & 1L << slot) == 0) {
            return 0;
        }
        int position = Long.bitCount(bits & (1L << slot) - 1);
        for (int i = 0; i < last; i++) {
            position +=
                    Long.bitCount(ADDRESS_SPACE.get(WORD, leaf + BITMAP + i * (long) Long.BYTES));
        }
        return leaf + WORDS + position * (long) Long.BYTES;
    }
}
