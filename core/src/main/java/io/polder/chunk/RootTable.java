package io.polder.chunk;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * All root chunks of a space: by address, and by slot.
 *
 * <pre>{@code
 *   reservations, by address     [ 64 MiB ]  [ 128 MiB ]  ...     at most a few dozen
 *                                  | | | |     | |
 *   slots                          0 1 2 3     4 5                the lowest free one is given out
 * }</pre>
 *
 * <p>A slot is a small number for a root that is in use; the bits of {@link FreeRoots} are slots.
 *
 * <p>Invariants: reservations are sorted and do not overlap; {@code bySlot[root.slot] == root} for
 * every root in use, and {@code count} is their number. The reservations are the truth; the rest is
 * {@linkplain #reindex made anew} from them.
 *
 * <p><b>Failure.</b> What is added needs no memory: {@link #ensureReservation} and {@link
 * #ensureSlot} come before. {@link #insert} and {@link #cutOut} make no call once they have begun
 * to change it.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link SpaceState} it belongs to.
 */
final class RootTable {
    private static final int INITIAL = 8;

    private @Nullable RootReservation[] byAddress = new RootReservation[INITIAL];
    private int reservationCount;
    private @Nullable RootArea[] bySlot = new RootArea[INITIAL];
    private int slotCount;
    private int count;

    int reservationCount() {
        return reservationCount;
    }

    /** A reservation, by address. */
    RootReservation reservation(int index) {
        RootReservation reservation = byAddress[index];
        if (reservation == null) {
            throw new AssertionError("a reservation must be there: index=" + index);
        }
        return reservation;
    }

    /** The reservations of this moment, by address. */
    RootReservation[] reservations() {
        RootReservation[] all = new RootReservation[reservationCount];
        for (int i = 0; i < all.length; i++) {
            all[i] = reservation(i);
        }
        return all;
    }

    /** Makes room for one reservation more. */
    void ensureReservation() {
        if (reservationCount == byAddress.length) {
            byAddress = Arrays.copyOf(byAddress, 2 * reservationCount);
        }
    }

    /** One more than the greatest slot that was ever given out. */
    int slotCount() {
        return slotCount;
    }

    /** The root in a slot; null if the slot is free. */
    @Nullable RootArea bySlot(int slot) {
        return bySlot[slot];
    }

    /** The root in a slot that {@link FreeRoots} names. */
    RootArea known(int slot) {
        RootArea root = bySlot[slot];
        if (root == null) {
            throw new AssertionError("a listed root must be in use: slot=" + slot);
        }
        return root;
    }

    /** The slot that the next root gets, with room for it. */
    int ensureSlot() {
        int slot = 0;
        while (slot < slotCount && bySlot[slot] != null) {
            slot++;
        }
        if (slot == bySlot.length) {
            bySlot = Arrays.copyOf(bySlot, 2 * slot);
        }
        return slot;
    }

    /** How many roots are in use. */
    int count() {
        return count;
    }

    /**
     * The root that an address lies in.
     *
     * @throws IllegalArgumentException if it lies in none
     */
    RootArea containing(long address) {
        int index = indexAfter(address) - 1;
        if (index >= 0) {
            RootReservation reservation = reservation(index);
            if (reservation.contains(address)) {
                long offset = address - reservation.address();
                RootArea root = reservation.root((int) (offset / ChunkLevel.ROOT_BYTES));
                if (root != null) {
                    return root;
                }
            }
        }
        throw new IllegalArgumentException(
                "a chunk must belong to the space: address=0x" + Long.toHexString(address));
    }

    private int indexAfter(long address) {
        int low = 0;
        int high = reservationCount;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (reservation(middle).address() <= address) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    boolean contains(RootReservation reservation) {
        for (int i = 0; i < reservationCount; i++) {
            if (byAddress[i] == reservation) {
                return true;
            }
        }
        return false;
    }

    /** Adds a reservation, for which there is room, unless it is there. */
    void add(RootReservation reservation) {
        if (!contains(reservation)) {
            insert(reservation, indexAfter(reservation.address()));
        }
    }

    private void insert(RootReservation reservation, int index) {
        for (int i = reservationCount; i > index; i--) {
            byAddress[i] = byAddress[i - 1];
        }
        byAddress[index] = reservation;
        reservationCount++;
    }

    /** Forgets a reservation and the roots in it, if it is there. */
    void remove(RootReservation reservation) {
        if (contains(reservation)) {
            cutOut(reservation);
            reindex();
        }
    }

    private void cutOut(RootReservation reservation) {
        int kept = 0;
        for (int i = 0; i < reservationCount; i++) {
            if (byAddress[i] != reservation) {
                byAddress[kept++] = byAddress[i];
            }
        }
        byAddress[kept] = null;
        reservationCount = kept;
    }

    /**
     * The first reservation with a root that was never used, null if there is none.
     *
     * @param leaving one that does not count
     */
    @Nullable RootReservation withUnstarted(@Nullable RootReservation leaving) {
        for (int i = 0; i < reservationCount; i++) {
            RootReservation reservation = reservation(i);
            if (reservation.canStart() && reservation != leaving) {
                return reservation;
            }
        }
        return null;
    }

    /** Lists a root that was put into use in its slot. */
    void list(RootArea root) {
        bySlot[root.slot()] = root;
        slotCount = Math.max(slotCount, root.slot() + 1);
        count++;
    }

    /** Lists all roots of all reservations, and no other. */
    void reindex() {
        Arrays.fill(bySlot, null);
        count = 0;
        for (int i = 0; i < reservationCount; i++) {
            RootReservation reservation = reservation(i);
            for (int k = 0; k < reservation.started(); k++) {
                RootArea root = reservation.root(k);
                if (root != null) {
                    list(root);
                }
            }
        }
    }
}
