package io.polder.chunk;

import io.polder.event.Events;
import io.polder.event.UncommitEvent;
import io.polder.memory.MemoryBudget;
import io.polder.memory.OsCallException;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Gives the memory behind free chunks back: when asked, when it was idle long enough, or when a
 * limit needs the room.
 *
 * <pre>{@code
 *   for one root:   free, warm --claim--> claimed --system call--> claimed --return--> free, cold
 *                                         no lock held    | refused
 *                                                         +------------------> free, warm as before
 * }</pre>
 *
 * <p>One root at a time, from the last slot to the first: the first ones are those that are taken
 * from first. While it is claimed, a chunk cannot be taken and counts as committed. A pass that
 * cannot uncommit goes on with the next root; nothing is lost by that.
 *
 * <p><b>Locking.</b> Its own monitor is held while one root is in hand, and taken before that of
 * {@link SpaceState}. So whoever holds it knows that nothing is claimed. Others who share the
 * budget call in with locks of theirs; {@link Growth} is not taken from here.
 */
final class Uncommitter implements MemoryBudget.Holder {
    private final SpaceState state;
    private final ClaimBatch batch;

    Uncommitter(SpaceState state) {
        this.state = state;
        this.batch = new ClaimBatch(state.pages);
    }

    /** Uncommits all free memory in whole pages; returns how many bytes. */
    long trim() {
        return pass(false, Long.MAX_VALUE);
    }

    /**
     * Uncommits the free memory that was free at the last call and not taken since.
     *
     * @return how many bytes
     */
    long decay() {
        return pass(true, Long.MAX_VALUE);
    }

    @Override
    public long uncommitFree(long wantedBytes) {
        return pass(false, wantedBytes);
    }

    @Override
    public long releaseFree(long wantedBytes) {
        return releaseFree(false, wantedBytes);
    }

    /** Returns when what is claimed now has come back. */
    synchronized void awaitClaimed() {
        synchronized (state) {
            if (state.ledger.claimedBytes != 0) {
                throw new AssertionError(
                        "nothing is claimed between roots: claimedBytes="
                                + state.ledger.claimedBytes);
            }
        }
    }

    private long pass(boolean onlyIdle, long wantedBytes) {
        UncommitEvent event = Events.uncommit();
        long done =
                state.provider.canUncommit()
                        ? uncommitRoots(onlyIdle, wantedBytes)
                        : releaseFree(onlyIdle, wantedBytes);
        if (event != null) {
            event.finish(state.budget.poolName(), ChunkSpace.PART, done);
        }
        return done;
    }

    private long uncommitRoots(boolean onlyIdle, long wantedBytes) {
        int slots;
        synchronized (state) {
            slots = state.roots.slotCount();
        }
        long done = 0;
        for (int slot = slots - 1; slot >= 0 && done < wantedBytes; slot--) {
            done += uncommitRoot(slot, onlyIdle);
        }
        return done;
    }

    private synchronized long uncommitRoot(int slot, boolean onlyIdle) {
        RootArea root;
        synchronized (state) {
            root = state.roots.bySlot(slot);
            if (root == null) {
                return 0;
            }
            state.claimLocked(root, batch, onlyIdle);
        }
        if (batch.nodeCount() == 0) {
            return 0;
        }
        int done = 0;
        OsCallException refusal = null;
        try {
            state.provider.uncommit(batch.addresses(), batch.sizes(), batch.rangeCount());
            done = batch.rangeCount();
        } catch (OsCallException e) {
            refusal = e;
            done = e.done();
        } finally {
            finish(root, done, refusal);
        }
        long bytes = 0;
        for (int i = 0; i < done; i++) {
            bytes += batch.sizes()[i];
        }
        return bytes;
    }

    private void finish(RootArea root, int done, @Nullable OsCallException refusal) {
        synchronized (state) {
            state.returnLocked(root, batch, done);
            if (refusal != null) {
                state.ledger.refused(refusal);
            }
        }
    }

    /**
     * Releases reservations in which everything is free.
     *
     * @return how many bytes of address space, at least {@code wantedBytes} if there are
     */
    private long releaseFree(boolean onlyIdle, long wantedBytes) {
        List<RootReservation> reservations;
        synchronized (state) {
            reservations = List.copyOf(state.roots.reservations());
        }
        long done = 0;
        for (int i = reservations.size() - 1; i >= 0 && done < wantedBytes; i--) {
            done += release(reservations.get(i), onlyIdle);
        }
        return done;
    }

    private synchronized long release(RootReservation reservation, boolean onlyIdle) {
        synchronized (state) {
            boolean known = state.roots.reservations().contains(reservation);
            if (!known || !state.claimReservationLocked(reservation, onlyIdle)) {
                return 0;
            }
        }
        boolean released = false;
        try {
            state.provider.release(reservation.address(), reservation.bytes());
            released = true;
        } catch (OsCallException refusal) {
            synchronized (state) {
                state.ledger.refused(refusal);
            }
        } finally {
            synchronized (state) {
                state.settleReservationLocked(reservation, released);
            }
        }
        return released ? reservation.bytes() : 0;
    }
}
