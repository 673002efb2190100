package io.polder.memory;

import org.jspecify.annotations.Nullable;

/**
 * The reservations of one provider, by address; or those that it has left mapped. No call reaches
 * the operating system for a range that lies outside all of the first: a wrong address would give
 * back somebody else's memory, and the kernel would do it without a word.
 *
 * <p><b>Invariant.</b> Reservations are in ascending order and do not overlap. One that is here,
 * the system has.
 *
 * <p><b>Threads.</b> A thread that changes them has the lock of the provider; one that looks needs
 * none. A change is one store of {@link #sorted}, of an array that was made before the system was
 * asked: so nothing can come between the system's answer and the change. A reservation enters after
 * its addresses have come, and leaves when they have gone back: so an address that the kernel hands
 * out twice is never in here twice. What is left mapped enters the other one before it leaves this.
 */
final class Reservations {

    /** Replaced as a whole; its elements are not. */
    volatile Reservation[] sorted = {};

    /** What {@link ReservedSpace#with} needs: an array with room for one more. */
    Reservation[] roomForOneLocked() {
        return new Reservation[sorted.length + 1];
    }

    /** How much address space they take up together. */
    long bytes() {
        long bytes = 0;
        for (Reservation each : sorted) {
            bytes += each.bytes();
        }
        return bytes;
    }

    /** Whether no part of a range in one of them is a hole. */
    boolean isWhole(long address, long bytes) {
        return enclosing(address, bytes).nextHole(address, address + bytes) == null;
    }

    /** Whether a range that is none of them, or not yet, meets a hole. */
    boolean meetHole(long from, long end) {
        for (Reservation each : sorted) {
            if (each.nextHole(from, end) != null) {
                return true;
            }
        }
        return false;
    }

    /**
     * The reservation with exactly this address and size.
     *
     * @throws IllegalArgumentException if there is none
     */
    Reservation whole(long address, long bytes) {
        Reservation found = beginningAt(address);
        if (found == null || found.bytes() != bytes) {
            throw new IllegalArgumentException(
                    Message.of(
                            "only a whole reservation can be released: address=0x%, bytes=%,"
                                    + " reserved=%",
                            address, bytes, found == null ? "none" : found.bytes()));
        }
        return found;
    }

    /** The reservation that begins here; null if none does. */
    @Nullable Reservation beginningAt(long address) {
        Reservation found = floor(address);
        return found != null && found.address == address ? found : null;
    }

    /**
     * The reservation in which a range lies.
     *
     * @throws IllegalArgumentException if there is none
     */
    Reservation enclosing(long address, long bytes) {
        Reservation found = floor(address);
        if (found != null && found.encloses(address, bytes)) {
            return found;
        }
        throw new IllegalArgumentException(
                Message.of(
                        "range must lie inside one reservation: address=0x%, bytes=%",
                        address, bytes));
    }

    /** The smallest one of which as much is mapped, and aligned so; null if there is none. */
    @Nullable Reservation smallestMapped(long bytes, long alignment) {
        Reservation best = null;
        for (Reservation each : sorted) {
            if (each.mappedBytes >= bytes
                    && (each.address & (alignment - 1)) == 0
                    && (best == null || each.mappedBytes < best.mappedBytes)) {
                best = each;
            }
        }
        return best;
    }

    /** The last one that begins at an address or below it; null if none does. */
    private @Nullable Reservation floor(long address) {
        Reservation[] all = sorted;
        int index = ReservedSpace.indexOfFloor(all, address);
        return index < 0 ? null : all[index];
    }
}
