package io.polder.chunk;

import io.polder.memory.MemoryLimits;

/**
 * Checks the invariants of a whole space, as equations:
 *
 * <pre>{@code
 *   used + isolated   ==  capacity of used nodes
 *   committed        ==  sum of the commit masks
 *   committed        ==  (pagesCommitted - pagesUncommitted) * page
 *   reserved         ==  sum of the reservations
 *   committed        ==  charged by the space as committed
 *   reserved, coming ==  charged by the space as reserved
 *   committed        <=  charged as committed   <=  committedMax
 *   reserved         <=  charged as reserved    <=  reservedMax
 *   committed, used  <=  reserved
 * }</pre>
 *
 * <p>and those of {@link RootArea}, {@link FreeRoots} and {@link CommitMask}. They hold whenever
 * the lock of {@link SpaceState} is free. It holds that lock.
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
            require(committed == ledger.committedBytes, "committed", committed);
            long pages = ledger.pagesCommitted - ledger.pagesUncommitted;
            require(pages * state.pages.bytes() == committed, "pages committed", pages);
            checkReservations(roots);
            require(
                    ledger.committedBytes <= ledger.reservedBytes
                            && ledger.usedBytes <= ledger.reservedBytes,
                    "committed <= reserved, used <= reserved",
                    used);
            checkBudget();
        }
    }

    private void checkBudget() {
        Ledger ledger = state.ledger;
        require(
                ledger.committedCharged == ledger.committedBytes,
                "committed == charged by the space",
                ledger.committedCharged);
        require(
                ledger.reservedCharged == ledger.reservedBytes + ledger.comingBytes,
                "reserved and coming == charged by the space",
                ledger.reservedCharged);
        MemoryLimits limits = state.budget.limits();
        long committed = state.budget.committedBytes();
        long reserved = state.budget.reservedBytes();
        require(
                state.ledger.committedBytes <= committed && committed <= limits.committedMaxBytes(),
                "committed <= charged <= committedMax",
                committed);
        require(
                state.ledger.reservedBytes <= reserved && reserved <= limits.reservedMaxBytes(),
                "reserved <= charged <= reservedMax",
                reserved);
    }

    private void checkReservations(int roots) {
        long reserved = 0;
        long end = 0;
        int started = 0;
        for (RootReservation reservation : state.roots.reservations()) {
            require(reservation.address() >= end, "reservations are sorted, apart", end);
            end = reservation.address() + reservation.bytes();
            reserved += reservation.bytes();
            started += reservation.started();
            for (int i = 0; i < reservation.started(); i++) {
                RootArea root = reservation.root(i);
                require(
                        root != null
                                && state.roots.bySlot(root.slot()) == root
                                && state.roots.containing(root.address()) == root,
                        "a root is found by slot and by address",
                        i);
            }
        }
        require(reserved == state.ledger.reservedBytes, "reserved", reserved);
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
                            + ledger.reservedBytes
                            + ", committed="
                            + ledger.committedBytes
                            + ", used="
                            + ledger.usedBytes
                            + ", isolated="
                            + ledger.isolatedBytes
                            + ", pagesCommitted="
                            + ledger.pagesCommitted
                            + ", pagesUncommitted="
                            + ledger.pagesUncommitted
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
