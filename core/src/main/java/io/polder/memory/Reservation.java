package io.polder.memory;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * One reservation. It is written by the thread that has the lock of its provider before it is added
 * to {@link Reservations}, and not again.
 */
final class Reservation {
    /** What its owner asked for. */
    final long bytes;

    /** Where that begins; zero as long as it is not known. */
    long address;

    /** What its owner may access; null as long as it is not known. */
    @Nullable MemorySegment memory;

    // Of the plain provider: where the memory comes from.
    @Nullable Arena arena;

    Reservation(long address, long bytes) {
        this.address = address;
        this.bytes = bytes;
    }

    boolean encloses(long from, long size) {
        long offset = from - address;
        return size >= 0 && offset >= 0 && offset <= bytes && size <= bytes - offset;
    }
}
