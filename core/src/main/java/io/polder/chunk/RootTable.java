package io.polder.chunk;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

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
 * every root in use.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link SpaceState} it belongs to.
 */
final class RootTable {
    private final List<RootReservation> byAddress = new ArrayList<>();
    private final List<@Nullable RootArea> bySlot = new ArrayList<>();
    private final BitSet takenSlots = new BitSet();

    /** The reservations, by address; a view. */
    List<RootReservation> reservations() {
        return byAddress;
    }

    /** One more than the greatest slot that was ever given out. */
    int slotCount() {
        return bySlot.size();
    }

    /** The root in a slot; null if the slot is free. */
    @Nullable RootArea bySlot(int slot) {
        return bySlot.get(slot);
    }

    /** The root in a slot that {@link FreeRoots} names. */
    RootArea known(int slot) {
        RootArea root = bySlot.get(slot);
        if (root == null) {
            throw new AssertionError("a listed root must be in use: slot=" + slot);
        }
        return root;
    }

    /** How many roots are in use. */
    int count() {
        return takenSlots.cardinality();
    }

    /**
     * The root that an address lies in.
     *
     * @throws IllegalArgumentException if it lies in none
     */
    RootArea containing(long address) {
        RootReservation reservation = reservation(address);
        RootArea root =
                reservation == null
                        ? null
                        : reservation.root(
                                (int) ((address - reservation.address()) / ChunkLevel.ROOT_BYTES));
        if (root == null) {
            throw new IllegalArgumentException(
                    "a chunk must belong to the space: address=0x" + Long.toHexString(address));
        }
        return root;
    }

    private @Nullable RootReservation reservation(long address) {
        int index = indexAfter(address) - 1;
        if (index < 0) {
            return null;
        }
        RootReservation candidate = byAddress.get(index);
        return candidate.contains(address) ? candidate : null;
    }

    /** The reservation that begins at the address of its only root. */
    RootReservation reservationOf(RootArea root) {
        RootReservation reservation = reservation(root.address());
        if (reservation == null) {
            throw new AssertionError("a root must lie in a reservation: slot=" + root.slot());
        }
        return reservation;
    }

    private int indexAfter(long address) {
        int low = 0;
        int high = byAddress.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (byAddress.get(middle).address() <= address) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    void add(RootReservation reservation) {
        byAddress.add(indexAfter(reservation.address()), reservation);
    }

    /** Forgets a reservation and the roots in it. */
    void remove(RootReservation reservation) {
        for (int i = 0; i < reservation.started(); i++) {
            RootArea root = reservation.root(i);
            if (root != null) {
                bySlot.set(root.slot(), null);
                takenSlots.clear(root.slot());
            }
        }
        byAddress.remove(reservation);
    }

    /** The first reservation with a root that was never used; null if there is none. */
    @Nullable RootReservation withUnstarted() {
        for (RootReservation reservation : byAddress) {
            if (reservation.canStart()) {
                return reservation;
            }
        }
        return null;
    }

    /** Makes the next root of a reservation, free as a whole, and gives it a slot. */
    void start(RootReservation reservation, boolean committed, SpaceState state) {
        int slot = takenSlots.nextClearBit(0);
        if (slot == bySlot.size()) {
            bySlot.add(null);
        }
        RootArea root = new RootArea(reservation.nextAddress(), slot, committed, state);
        bySlot.set(slot, root);
        takenSlots.set(slot);
        reservation.start(root);
    }
}
