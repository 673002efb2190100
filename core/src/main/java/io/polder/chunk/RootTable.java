package io.polder.chunk;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Objects;

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
 * <p>Invariant: {@code bySlot[root.slot] == root} for every root in use. The reservations, which
 * the space has, are the truth; the rest is {@linkplain #reindex made anew} from them.
 *
 * <p><b>Failure.</b> What is listed needs no memory: {@link #ensureSlot} comes before.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link SpaceState} it belongs to.
 */
final class RootTable {
    private static final int INITIAL = 8;

    private final SpaceState space;

    /** The roots; null where a slot is free. */
    @Nullable RootArea[] bySlot = new RootArea[INITIAL];

    /** Of the reservations of a space. */
    RootTable(SpaceState space) {
        this.space = space;
    }

    /** Whether any has memory that its owners have not asked for, or do without. */
    boolean hasUnclaimed() {
        for (RootArea root : bySlot) {
            if (root != null && root.unclaimed.any(0, root.pages.perRoot())) {
                return true;
            }
        }
        return false;
    }

    /** The root in a slot that {@link FreeRoots} names. */
    RootArea known(int slot) {
        return Objects.requireNonNull(bySlot[slot]);
    }

    /** The slot that the next root gets, with room for it. */
    int ensureSlot() {
        int slot = 0;
        while (slot < bySlot.length && bySlot[slot] != null) {
            slot++;
        }
        if (slot == bySlot.length) {
            bySlot = Arrays.copyOf(bySlot, 2 * slot);
        }
        return slot;
    }

    /**
     * The root that an address lies in.
     *
     * @throws IllegalArgumentException if it lies in none
     */
    RootArea containing(long address) {
        RootReservation reservation = space.containingLocked(address);
        if (reservation != null) {
            int index = (int) ((address - reservation.address()) / ChunkLevel.ROOT_BYTES);
            if (index < reservation.started) {
                return reservation.root(index);
            }
        }
        throw new IllegalArgumentException(
                "a chunk must belong to the space: address=0x" + Long.toHexString(address));
    }

    /** The first reservation that stays and has a root that was never used; null if none is. */
    @Nullable RootReservation withUnstarted() {
        for (RootReservation reservation : space.reserved) {
            if (reservation.canStart() && !reservation.inFlight) {
                return reservation;
            }
        }
        return null;
    }

    /** Lists a root that was put into use in its slot. */
    void list(RootArea root) {
        bySlot[root.slot] = root;
    }

    /** Lists all roots of all reservations, and no other. */
    void reindex() {
        Arrays.fill(bySlot, null);
        for (RootReservation reservation : space.reserved) {
            for (int k = 0; k < reservation.started; k++) {
                list(reservation.root(k));
            }
        }
    }
}
