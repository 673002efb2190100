package io.polder.page.space;

import io.polder.memory.OsCallException;
import io.polder.memory.StackBang;
import io.polder.page.space.Extent.State;
import io.polder.page.space.PageReservation.Kind;

import org.jspecify.annotations.Nullable;

/**
 * Makes one long run of scattered granules, by moving their page tables: no byte is copied.
 *
 * <pre>{@code
 *   before   [w][T][T][w][w][T][w][T] ... [. . . . . .]     warm granules between pages; addresses
 *             |        |  |     |
 *             +--------+--+-----+----- remap -> |
 *   after    [.][T][T][.][.][T][.][T] ... [W W W W . .]     a run; the granules went, their
 *                                                           addresses stay
 * }</pre>
 *
 * <p>Sources are the shortest runs, so that longer ones stay whole; among them the highest, since
 * small pages are taken from the lowest. Sources and target are isolated meanwhile:
 * nobody can take them, and the lock is free during the system calls.
 *
 * <p><b>Failure.</b> What was moved before a call was refused, or before an error, is a shorter
 * run, what was not is free where it is, the rest of the target has addresses only: no memory is
 * lost, none doubled. Addresses may be: see {@link PageState#takeOutLost}. The extents themselves
 * say how far it came, granule by granule. Of the one that was under way when an error came nobody
 * knows where it is; so its target counts as warm if it is there, its source as cold, and both are
 * dirty.
 *
 * <p><b>Mappings.</b> Nothing is assembled that could bring the space above its share of the
 * process's mappings.
 *
 * <p>Thread-safe: what is planned is isolated under the lock of {@link PageState}.
 */
record Assembler(PageState state) {
    /** This part of the mappings is for reservations, of which there are few: guessed. */
    private static final int KEPT_FOR_RESERVATIONS = 8;

    /** What is isolated: addresses to fill, and granules to move there. */
    private static final class Plan {
        final Isolation isolation; // has the sources
        final Extent target;

        /** How many granules of the target, the first, get their memory from the sources. */
        private int toMove;

        /** The sources are runs of fewer granules than these. */
        private int shorterThan;

        Plan(PageState state, Extent target) {
            this.isolation = new Isolation(state);
            this.target = target;
        }
    }

    /**
     * Assembles a page for the caller, of what is free, and of fresh memory as far as that is not
     * enough.
     *
     * @param page what has its granules then
     * @return false if there is not enough, or it could not be moved
     */
    boolean assemblePage(Extent page, int count) {
        return assemble(page, count, true);
    }

    /** Assembles a run ahead, of shorter runs only; returns whether it did. */
    boolean assembleRun(int count) {
        return assemble(new Extent(false), count, false);
    }

    private boolean assemble(Extent target, int count, boolean forCaller) {
        // Whether there may be something to move, without the lock. If not, the system is not asked
        // whether it moves memory: that takes a while, and in a new pool all threads come here.
        if (state.warmFree == 0 || !state.provider.canRemap()) {
            return false;
        }
        Plan plan = new Plan(state, target);
        try {
            synchronized (state) {
                state.recoverIfNeededLocked();
                if (!planLocked(plan, count, forCaller)) {
                    return false;
                }
            }
            if (!isolateSources(plan) || !move(plan)) {
                return false;
            }
            done(plan, forCaller);
            plan.isolation.underWay = false;
            return true;
        } finally {
            plan.isolation.ended = true;
            if (plan.isolation.underWay) {
                state.abandoned = true;
            }
        }
    }

    /**
     * Whether a run can be assembled ahead, of granules in runs that are not long enough.
     *
     * @param spare how many granules must be left to those who take some meanwhile
     */
    boolean canAssembleLocked(int count, int spare) {
        long granules = 0;
        for (PageReservation reservation : state.reserved) {
            granules += reservation.warm.granulesShorter(count);
        }
        return granules >= count && state.warmFree >= count + spare;
    }

    /** Isolates the target; returns whether there is one, and enough to move there. */
    private boolean planLocked(Plan plan, int count, boolean forCaller) {
        if (forCaller) {
            state.checkOpenLocked();
        }
        int toMove = (int) Math.min(count, state.warmFree);
        boolean enough = forCaller ? toMove > 0 : canAssembleLocked(count, 0);
        // Each granule may get a mapping, and the end of what is moved another one.
        long most = state.mappingsMax - state.mappingsMax / KEPT_FOR_RESERVATIONS;
        if (!enough || state.mappingsLocked() + toMove + 1 > most) {
            return false;
        }
        plan.toMove = toMove;
        plan.shorterThan = forCaller ? Integer.MAX_VALUE : count;
        plan.isolation.underWay = true;
        plan.isolation.underWay = isolateTargetLocked(plan, count);
        return plan.isolation.underWay;
    }

    /**
     * Isolates addresses without memory as a target.
     *
     * @return whether there are such addresses, and room for what is not moved there
     */
    private boolean isolateTargetLocked(Plan plan, int count) {
        Extent target = plan.target;
        PageReservation reservation = state.findLocked(Kind.COLD, count);
        if (reservation == null) {
            return false;
        }
        int fresh = count - plan.toMove;
        state.inTransition = true;
        if (fresh > 0) {
            if (!state.tryCommitLocked(Granules.bytes(fresh))) {
                state.inTransition = false;
                return false;
            }
            state.idleFree.fell(0);
        }
        Extent found = state.foundLocked(reservation, target, count, plan.isolation);
        reservation.hold(found, State.ISOLATED, fresh);
        target.atHome = !reservation.moved.any(target.first, count);
        state.committedLocked(Granules.bytes(fresh));
        // Now, so that others who plan see what this one may cost.
        reservation.moved.set(target.first, plan.toMove, true);
        state.inTransition = false;
        return true;
    }

    /**
     * Isolates the shortest warm runs as sources, one by one, so that others get the lock; if these
     * were faster, gives up and returns false.
     */
    private boolean isolateSources(Plan plan) {
        int missing = plan.toMove;
        while (missing > 0) {
            synchronized (state) {
                state.recoverIfNeededLocked();
                PageReservation reservation = withShortestLocked(plan.shorterThan);
                if (reservation == null) {
                    return false;
                }
                RunIndex warm = reservation.warm;
                int run = warm.highestInSlot(warm.slotShorter(plan.shorterThan));
                int count = Math.min(reservation.runs[run], missing);
                int from = run + reservation.runs[run] - count;
                plan.isolation.isolateLocked(reservation, from, count);
                missing -= count;
            }
        }
        return true;
    }

    /** The highest reservation with the shortest warm runs, if they are shorter than this. */
    private @Nullable PageReservation withShortestLocked(int shorterThan) {
        PageReservation[] reservations = state.reserved;
        PageReservation found = null;
        int least = Integer.MAX_VALUE;
        for (int i = reservations.length - 1; i >= 0; i--) {
            int slot = reservations[i].warm.slotShorter(shorterThan);
            if (slot != 0 && slot < least) {
                found = reservations[i];
                least = slot;
            }
        }
        return found;
    }

    /** Moves all granules; returns false if a call was refused. */
    private boolean move(Plan plan) {
        StackBang.ensure();
        try {
            Extent target = plan.target;
            if (plan.toMove < target.count) {
                state.commit(
                        target.address() + Granules.bytes(plan.toMove),
                        Granules.bytes(target.count - plan.toMove));
            }
            target.atHome = false;
            for (Extent source : plan.isolation.extents) {
                move(source, target);
            }
            return true;
        } catch (OsCallException refusal) {
            synchronized (state) {
                state.recoverIfNeededLocked();
                state.refusedLocked(refusal);
                state.movedTotal += plan.target.warmTo;
            }
            giveUp(plan);
            return false;
        }
    }

    /** Frees all that is isolated, where it is now, but for what is lost of the target. */
    private void giveUp(Plan plan) {
        plan.isolation.ended = true;
        state.abandoned = true;
        boolean _ = state.takeOutLost(plan.target);
    }

    /** One granule at a time, so that it is known of all but one where they are. */
    private void move(Extent source, Extent target) {
        PageReservation from = source.reservation();
        PageReservation to = target.reservation();
        for (int i = 0; i < source.count; i++) {
            int gone = source.first + i;
            int there = target.first + target.warmTo;
            int wasDirty = from.dirt.dirty[gone];
            int wasThere = to.dirt.dirty[there]; // what a move left that was cut short
            from.dirt.unknown(gone);
            to.dirt.unknown(there);
            source.warmFrom++;
            target.warmTo++;
            try {
                state.provider.remap(
                        from.address(gone), to.address(there), PageSpace.GRANULE_BYTES);
            } catch (OsCallException refusal) {
                source.warmFrom--;
                target.warmTo--;
                to.dirt.dirty[there] = wasThere;
                from.dirt.dirty[gone] = wasDirty;
                throw refusal;
            }
            to.dirt.zeroed[there] = from.dirt.zeroed[gone];
            to.dirt.dirty[there] = wasDirty;
            from.dirt.uncommitted(gone);
        }
    }

    /**
     * Frees the sources' addresses one by one, so that nobody waits long for the lock, and then the
     * target, or makes the caller's page of it. Until then what was moved counts as isolated.
     */
    private void done(Plan plan, boolean forCaller) {
        for (Extent source : plan.isolation.extents) {
            synchronized (state) {
                state.recoverIfNeededLocked();
                sourceIsColdLocked(source, plan.target);
            }
        }
        Extent target = plan.target;
        synchronized (state) {
            state.recoverIfNeededLocked();
            if (forCaller) {
                state.checkOpenLocked(); // again: a space that was shut meanwhile counts its pages
            }
            state.inTransition = true;
            if (forCaller) {
                targetIsTakenLocked(target);
            } else {
                target.reservation().free(target, Kind.WARM);
                state.assembledInBackground++;
            }
            state.notifyAll();
            state.inTransition = false;
        }
    }

    /** Frees the addresses of a source whose memory is in a target now, and counts as its. */
    private void sourceIsColdLocked(Extent source, Extent target) {
        PageReservation reservation = source.reservation();
        state.inTransition = true;
        reservation.moved.wentAway(source.first, source.count);
        target.charged += source.count;
        source.charged = 0;
        reservation.free(source, Kind.COLD);
        state.movedTotal += source.count;
        state.inTransition = false;
    }

    private void targetIsTakenLocked(Extent target) {
        state.countLocked(target, -1);
        target.state = State.TAKEN;
        target.warmTo = target.count;
        target.isolation = null;
        state.countLocked(target, 1);
        state.demand.took(target.count, 1);
        state.assembledOnAllocation++;
        state.idleFree.fell(state.freeLocked());
    }
}
