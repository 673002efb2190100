package io.polder;

/**
 * Segments that are live, by their addresses, with their sizes.
 *
 * <pre>{@code
 *   entries   | address | bytes | address | bytes |  0  |  ?  | ...     open addressing,
 *             |<-- entry 0 ---->|<-- entry 1 ---->|<- none -->|          linear probing
 * }</pre>
 *
 * <p>Invariants: each address is in the table once, with no empty entry between it and the entry
 * that its hash names; at most half of the entries are used; {@code count} and {@code bytes} are
 * those of the entries that are used.
 *
 * <p>Failure: {@link #makeRoom} alone allocates on the Java heap. Where entries change, nothing is
 * called, so no error comes in the middle.
 *
 * <p>Not thread-safe.
 */
final class SegmentTable {
    /** 2^64 over the golden ratio: spreads addresses that lie at equal distances. */
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    private static final int CAPACITY_AT_FIRST = 8;
    private static final int CAPACITY_MAX = 1 << 29;

    /** Two words each; a power of two of them. */
    long[] entries = new long[2 * CAPACITY_AT_FIRST];

    int count;

    /** How many bytes the segments have together. */
    long bytes;

    /** Before this one {@link #pop} has left none. */
    private int popped;

    /**
     * Makes room for one more.
     *
     * @throws OutOfMemoryError if the Java heap is full, or no table can have more; nothing has
     *     changed then
     */
    void makeRoom() {
        int capacity = entries.length / 2;
        if (count < capacity / 2) {
            return;
        }
        if (capacity == CAPACITY_MAX) {
            throw new OutOfMemoryError("an arena has too many segments: count=" + count);
        }
        long[] grown = new long[2 * entries.length];
        for (int at = 0; at < entries.length; at += 2) {
            if (entries[at] != 0) {
                int place = place(grown, entries[at]);
                grown[place] = entries[at];
                grown[place + 1] = entries[at + 1];
            }
        }
        entries = grown;
    }

    /** Adds one that is not here, for which there is room. */
    void add(long address, long byteSize) {
        int at = place(entries, address);
        entries[at + 1] = byteSize;
        entries[at] = address;
        count++;
        bytes += byteSize;
    }

    /** How large the segment at an address is; -1 if there is none. */
    long size(long address) {
        int at = place(entries, address);
        return entries[at] == 0 ? -1 : entries[at + 1];
    }

    /** Removes one that is here, and closes the gap. */
    void remove(long address) {
        long[] table = entries;
        int mask = table.length - 1;
        int shift = shift(table);
        int gap = place(table, address);
        count--;
        bytes -= table[gap + 1];
        int at = gap;
        while (true) {
            at = (at + 2) & mask;
            long other = table[at];
            if (other == 0) {
                break;
            }
            int home = (int) ((other * MULTIPLIER) >>> shift) << 1;
            if (((at - home) & mask) >= ((at - gap) & mask)) {
                table[gap + 1] = table[at + 1];
                table[gap] = other;
                gap = at;
            }
        }
        table[gap] = 0;
    }

    /**
     * Removes any segment, and leaves the gap: after the first call nothing else may be called but
     * this.
     *
     * @return its address; 0 if there is none
     */
    long pop() {
        long[] table = entries;
        for (int at = popped; at < table.length; at += 2) {
            long address = table[at];
            if (address != 0) {
                popped = at;
                table[at] = 0;
                count--;
                bytes -= table[at + 1];
                return address;
            }
        }
        return 0;
    }

    /** Where an address is, or where it would be. */
    static int place(long[] table, long address) {
        int mask = table.length - 1;
        int at = (int) ((address * MULTIPLIER) >>> shift(table)) << 1;
        while (table[at] != 0 && table[at] != address) {
            at = (at + 2) & mask;
        }
        return at;
    }

    /** What of a hash names one of the entries. */
    private static int shift(long[] table) {
        return Long.numberOfLeadingZeros(table.length) + 2;
    }
}
