package io.polder.memory;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * One reservation, from before the system is asked for it until it is released. It is made first
 * and filled in place by whoever has the lock of its provider, so that what the system gave is
 * never known to a thread alone.
 *
 * <p>What its owner is told is written before the reservation is added to {@link Reservations}, and
 * not again.
 */
final class Reservation {
    /** What its owner asked for. */
    final long bytes;

    /** Where that begins; zero as long as it is not known. */
    long address;

    /** What its owner may access; null as long as it is not known. */
    @Nullable MemorySegment memory;

    // Of the Linux provider: what is mapped, more than the owner asked for. Empty if nothing.
    long left;
    long right;

    // Of the plain provider: where the memory comes from.
    @Nullable Arena arena;

    /** The next one that has been begun and not been finished. */
    @Nullable Reservation next;

    Reservation(long bytes) {
        this.bytes = bytes;
    }

    boolean encloses(long from, long size) {
        long offset = from - address;
        return size >= 0 && offset >= 0 && offset <= bytes && size <= bytes - offset;
    }
}
