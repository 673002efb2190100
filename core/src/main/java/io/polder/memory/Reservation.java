package io.polder.memory;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;

/**
 * One reservation. It is written by the thread that has the lock of its provider before it is added
 * to {@link Reservations}, and not again but for how it ends.
 */
final class Reservation extends ReservedSpace {
    /** How much is mapped: more than its owner asked for, if it was {@link #leftMapped} before. */
    long mappedBytes;

    /** Whether its addresses stay mapped when it is released; written under the lock, and again. */
    boolean leftMapped;

    /** Its holes, the last one first: see {@link Mappings}, whose monitor guards changes. */
    volatile @Nullable Hole holes;

    /** A range of it that has no mapping of ours. */
    record Hole(long address, long bytes, @Nullable Hole next) {
        long end() {
            return address + bytes;
        }
    }

    // Of the plain provider: where the memory comes from.
    @Nullable Arena arena;

    Reservation(long address, long bytes) {
        super(bytes);
        this.address = address;
        this.mappedBytes = bytes;
    }

    boolean encloses(long from, long size) {
        long offset = from - address;
        return size >= 0 && offset >= 0 && offset <= bytes() && size <= bytes() - offset;
    }

    /** The hole in a range with the lowest address; null if there is none. */
    @Nullable Hole nextHole(long from, long end) {
        Hole lowest = null;
        for (Hole each = holes; each != null; each = each.next) {
            boolean overlaps = each.address < end && from < each.end();
            if (overlaps && (lowest == null || each.address < lowest.address)) {
                lowest = each;
            }
        }
        return lowest;
    }
}
