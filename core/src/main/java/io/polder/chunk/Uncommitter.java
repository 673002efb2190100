package io.polder.chunk;

import io.polder.event.Events;
import io.polder.event.UncommitEvent;
import io.polder.memory.MemoryBudget;
import io.polder.memory.OsCallException;
import io.polder.memory.StackBang;

/**
 * Gives the memory behind free chunks back: when asked, when it was idle long enough, or when a
 * limit needs the room.
 *
 * <pre>{@code
 *   for one root:
 *   free, warm --isolate--> isolated --system call--> isolated --put back--> free, cold
 *                           no lock held    | refused
 *                                           +--------------------> free, warm as before
 * }</pre>
 *
 * <p>One root at a time, from the last slot to the first: the first ones are those that are taken
 * from first. While it is isolated, a chunk cannot be taken and counts as committed. A pass that
 * cannot uncommit goes on with the next root; nothing is lost by that.
 *
 * <p><b>Failure.</b> Whatever is thrown, a pass says by stores alone that it has nothing in flight
 * any more, and how much it did; what it could not return itself, the next who takes the lock of
 * {@link SpaceState} returns. What was not seen to be uncommitted counts as committed.
 *
 * <p><b>Locking.</b> Its own monitor is held while one root is in flight, and taken before that of
 * {@link SpaceState}. So the thread that holds it knows that nothing is isolated. Others who share
 * the budget call in with locks of theirs; {@link Growth} is not taken from here.
 */
record Uncommitter(SpaceState state) implements MemoryBudget.Shrinker {

    /**
     * Uncommits the free memory that was free at the last call and not taken since, and what its
     * owners do without.
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

    /** Returns when what is isolated now has come back. */
    synchronized void awaitIsolated() {
        synchronized (state) {
            state.recoverIfNeededLocked();
        }
    }

    private long pass(boolean onlyIdle, long wantedBytes) {
        UncommitEvent event = Events.uncommit();
        long done =
                state.provider.canUncommit()
                        ? uncommitRoots(onlyIdle, wantedBytes)
                        : releaseFree(onlyIdle, wantedBytes);
        if (event != null) {
            event.finish(state.budget.poolName, ChunkSpace.PART, done);
        }
        return done;
    }

    private long uncommitRoots(boolean onlyIdle, long wantedBytes) {
        StackBang.ensure(); // what is isolated goes back by calls
        int slots;
        synchronized (state) {
            state.recoverIfNeededLocked();
            slots = state.roots.bySlot.length;
        }
        long done = 0;
        for (int slot = slots - 1; slot >= 0 && done < wantedBytes; slot--) {
            done += uncommitRoot(slot, onlyIdle ? What.IDLE : What.FREE);
        }
        for (int slot = slots - 1; slot >= 0 && done < wantedBytes; slot--) {
            done += uncommitRoot(slot, What.UNCLAIMED);
        }
        return done;
    }

    /** What of a root is uncommitted. */
    enum What {
        /** What is free since the last tick; what is free now is marked. */
        IDLE,
        /** What is free. */
        FREE,
        /** What has an owner who has not asked for it. */
        UNCLAIMED
    }

    private synchronized long uncommitRoot(int slot, What what) {
        IsolatedChunks batch = state.isolated;
        OsCallException refusal = null;
        int done = 0;
        long bytes = 0;
        try {
            synchronized (state) {
                state.recoverIfNeededLocked();
                RootArea root = state.roots.bySlot[slot];
                if (root == null || !state.isolateLocked(root, what)) {
                    return 0;
                }
            }
            state.provider.uncommit(batch.addresses, batch.sizes, batch.rangeCount);
            done = batch.rangeCount;
        } catch (OsCallException e) {
            refusal = e;
            done = e.done();
        } finally {
            synchronized (state) {
                if (batch.root != null) {
                    boolean intact = !state.inTransition;
                    state.inTransition = true;
                    batch.rangesDone = done;
                    batch.inFlight = false;
                    bytes = state.putBackLocked(intact);
                }
            }
        }
        if (refusal != null) {
            state.refused(refusal);
        }
        return bytes;
    }

    /**
     * Releases reservations in which everything is free.
     *
     * @return how many bytes of address space, at least {@code wantedBytes} if there are
     */
    private long releaseFree(boolean onlyIdle, long wantedBytes) {
        RootReservation[] reservations;
        synchronized (state) {
            state.recoverIfNeededLocked();
            reservations = state.reserved;
        }
        long done = 0;
        for (int i = reservations.length - 1; i >= 0 && done < wantedBytes; i--) {
            done += release(reservations[i], onlyIdle);
        }
        return done;
    }

    private synchronized long release(RootReservation reservation, boolean onlyIdle) {
        boolean released = false;
        StackBang.ensure();
        try {
            synchronized (state) {
                state.recoverIfNeededLocked();
                if (!state.isolateReservationLocked(reservation, onlyIdle)) {
                    return 0;
                }
            }
            released = state.release(reservation);
        } finally {
            synchronized (state) {
                if (reservation.inFlight) {
                    boolean intact = !state.inTransition;
                    state.inTransition = true;
                    reservation.inFlight = false;
                    state.endLeavingLocked(reservation, intact);
                }
            }
        }
        return released ? reservation.bytes() : 0;
    }
}
