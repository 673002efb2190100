package io.polder.chunk;

import io.polder.memory.VirtualSpace;

/**
 * Checks the invariants of a whole space, as equations:
 *
 * <pre>{@code
 *   used + isolated   ==  capacity of used nodes
 *   committed        ==  sum of the commit masks
 *   used             <=  reserved
 * }</pre>
 *
 * <p>and those of {@link VirtualSpace}, {@link RootArea}, {@link FreeRoots} and {@link CommitMask}.
 * They hold whenever the lock of {@link SpaceState} is free. It holds that lock.
 */
final class SpaceCheck {
    private final SpaceState state;

    SpaceCheck(SpaceState state) {
        this.state = state;
    }

    void verify() {
        synchronized (state) {
            state.enterLocked();
            Ledger ledger = state.ledger;
            state.warm.verify();
            state.cold.verify();
            long used = 0;
            long committed = 0;
            int roots = 0;
            for (int slot = 0; slot < state.roots.slotCount(); slot++) {
                RootArea root = state.roots.bySlot(slot);
                if (root != null) {
                    roots++;
                    used += RootCheck.verify(root, ledger.isolatedBytes == 0);
                    committed += root.mask.committed() * state.pages.bytes();
                }
            }
            require(used == ledger.usedBytes + ledger.isolatedBytes, "used", used);
            require(committed == state.committedBytes, "committed", committed);
            checkReservations(roots);
            require(ledger.usedBytes <= state.reservedBytes, "used <= reserved", used);
            state.verifyBytesLocked();
        }
    }

    private void checkReservations(int roots) {
        int started = 0;
        for (RootReservation reservation : state.reservedLocked()) {
            started += reservation.started();
            for (int i = 0; i < reservation.started(); i++) {
                RootArea root = reservation.root(i);
                require(
                        root != null
                                && state.roots.bySlot(root.slot()) == root
                                && (reservation.inFlight
                                        || state.roots.containing(root.address()) == root),
                        "a root is found by slot and, unless it leaves, by address",
                        i);
            }
        }
        require(started == roots && roots == state.roots.count(), "roots", started);
    }

    private void require(boolean holds, String rule, long counted) {
        if (!holds) {
            Ledger ledger = state.ledger;
            throw new AssertionError(
                    rule
                            + ": counted="
                            + counted
                            + ", reserved="
                            + state.reservedBytes
                            + ", committed="
                            + state.committedBytes
                            + ", used="
                            + ledger.usedBytes
                            + ", isolated="
                            + ledger.isolatedBytes
                            + "\n"
                            + SpaceMap.of(state));
        }
    }

    /** What holds only while no other thread is in the space. */
    void verifyAtRest() {
        verify();
        synchronized (state) {
            require(state.ledger.isolatedBytes == 0, "nothing is isolated", 0);
        }
    }
}
