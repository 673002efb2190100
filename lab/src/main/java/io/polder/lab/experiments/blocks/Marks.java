package io.polder.lab.experiments.blocks;

import io.polder.memory.Zeroing;

/**
 * What is written into a block, as little as a program writes that uses all of it: its first and
 * last word, and one of each page of the system, so that all of it is memory. A thread that frees a
 * block looks at both ends: a block that was handed out twice, or that overlaps another one, shows.
 */
final class Marks {
    /** The least that can be marked. */
    static final int WORD_BYTES = 8;

    private static final int PAGE_BYTES = 4096;

    /** Odd, so that no two addresses have the same product: the golden ratio. */
    private static final long FACTOR = 0x9E37_79B9_7F4A_7C15L;

    private Marks() {}

    /**
     * Writes a block.
     *
     * @param bytes at least a word
     * @param owner a number that no other block has which is used meanwhile
     */
    static void write(long address, long bytes, long owner) {
        long mark = mark(address, owner);
        set(address, mark);
        writeFrom(address, PAGE_BYTES, bytes, owner);
    }

    /** Writes what was added to a block, from an offset that is at least a word. */
    static void writeFrom(long address, long from, long bytes, long owner) {
        for (long at = from; at <= bytes - WORD_BYTES; at += PAGE_BYTES) {
            set(address + at, at);
        }
        if (bytes >= 2 * WORD_BYTES) {
            set(address + bytes - WORD_BYTES, ~mark(address, owner));
        }
    }

    /**
     * Looks at both ends of a block.
     *
     * @throws AssertionError if one is not what was written
     */
    static void check(long address, long bytes, long owner) {
        long mark = mark(address, owner);
        if (get(address) != mark
                || (bytes >= 2 * WORD_BYTES && get(address + bytes - WORD_BYTES) != ~mark)) {
            throw new AssertionError(
                    "a block keeps what was written: address="
                            + Long.toHexString(address)
                            + ", bytes="
                            + bytes
                            + ", owner="
                            + owner);
        }
    }

    /** What stands at the beginning of a block. */
    static long mark(long address, long owner) {
        return (address ^ (owner << Integer.SIZE)) * FACTOR;
    }

    static long get(long address) {
        return Zeroing.ADDRESS_SPACE.get(Zeroing.WORD, address);
    }

    static void set(long address, long word) {
        Zeroing.ADDRESS_SPACE.set(Zeroing.WORD, address, word);
    }
}
