package io.polder.memory;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The reservations of one provider, by address. No call reaches the operating system for a range
 * that lies outside all of them: a wrong address would give back somebody else's memory, and the
 * kernel would do it without a word.
 *
 * <p><b>Invariant.</b> Reservations do not overlap. To keep it while others reserve, a reservation
 * is {@linkplain #remove removed} before its addresses go back to the operating system and
 * {@linkplain #add added} after they arrived; if the operating system refuses the release, it is
 * added again.
 *
 * <p><b>Threads.</b> Thread-safe, without a lock.
 */
final class Reservations {

    private final ConcurrentNavigableMap<Long, MemorySegment> byAddress =
            new ConcurrentSkipListMap<>();

    /** Adds a reservation that the operating system has made. */
    void add(MemorySegment reservation) {
        MemorySegment other = byAddress.putIfAbsent(reservation.address(), reservation);
        if (other != null) {
            throw new AssertionError(
                    "reservations must not overlap: new=" + reservation + ", old=" + other);
        }
    }

    /**
     * Removes the reservation with exactly this address and size.
     *
     * @throws IllegalArgumentException if there is none
     */
    MemorySegment remove(long address, long bytes) {
        MemorySegment reservation = byAddress.get(address);
        if (reservation == null
                || reservation.byteSize() != bytes
                || !byAddress.remove(address, reservation)) {
            throw new IllegalArgumentException(
                    "only a whole reservation can be released: address="
                            + Ranges.hex(address)
                            + ", bytes="
                            + bytes
                            + ", reserved="
                            + (reservation == null ? "none" : reservation.byteSize()));
        }
        return reservation;
    }

    /** Whether a reservation begins here. */
    boolean beginsAt(long address) {
        return byAddress.containsKey(address);
    }

    /**
     * Checks that a range lies inside one reservation.
     *
     * @throws IllegalArgumentException if it does not
     */
    void checkInside(long address, long bytes) {
        enclosing(address, bytes);
    }

    /**
     * The part of a reservation with this address and size.
     *
     * @throws IllegalArgumentException if the range does not lie inside one reservation
     */
    MemorySegment slice(long address, long bytes) {
        MemorySegment reservation = enclosing(address, bytes);
        return reservation.asSlice(address - reservation.address(), bytes);
    }

    private MemorySegment enclosing(long address, long bytes) {
        Map.Entry<Long, MemorySegment> entry = byAddress.floorEntry(address);
        if (entry != null) {
            long offset = address - entry.getKey();
            long size = entry.getValue().byteSize();
            if (bytes >= 0 && offset <= size && bytes <= size - offset) {
                return entry.getValue();
            }
        }
        throw new IllegalArgumentException(
                "range must lie inside one reservation: address="
                        + Ranges.hex(address)
                        + ", bytes="
                        + bytes);
    }
}
