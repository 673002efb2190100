package io.polder.page.space;

import io.polder.event.Events;
import io.polder.event.UncommitEvent;
import io.polder.memory.Errno;
import io.polder.memory.OsCallException;
import io.polder.memory.StackBang;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.List;

/**
 * Gives the memory behind free granules back to the operating system, from the highest address
 * down: small pages are taken from the lowest.
 *
 * <pre>{@code
 *   WARM --isolate--> ISOLATED --uncommit--> (renew, which wins mappings back) --> COLD
 *                      |  refused              |  refused, and there is a hole
 *                      +---------> WARM        +---------> LOST
 * }</pre>
 *
 * <p>Granules that an assembly moved cost mappings; they are replaced by fresh addresses, which the
 * kernel can join with their neighbours. So are cold ones, before the mappings run out.
 *
 * <p>Where the provider cannot uncommit, reservations that are free as a whole are released.
 *
 * <p><b>Failure.</b> What was not uncommitted, or nobody knows of, is free and still committed.
 * Where the program has locked an OS page of a run ({@code mlock}) and not unlocked it, the kernel
 * refuses the run: from then on granules are tried one by one, and those below what is refused.
 * Nothing is renewed that may have memory, so a renewal that is refused loses none. Where a
 * part of a reservation is released and another refused, or an error comes, what is gone is cold:
 * who commits it finds out.
 *
 * <p>Thread-safe: granules are isolated under the lock of {@link PageState}; system calls are
 * made without it.
 */
record PageUncommitter(PageState state) {

    /** Uncommits free memory; returns how many granules. */
    long uncommit(long wanted) {
        return uncommit(wanted, new @Nullable OsCallException[1]);
    }

    /**
     * Uncommits free memory.
     *
     * @param wanted how many granules; less are done if there are less, or calls are
     *     refused
     * @param refused gets the last of these calls as its only element
     * @return how many were
     */
    long uncommit(long wanted, @Nullable OsCallException[] refused) {
        UncommitEvent event = Events.uncommit();
        long done =
                state.provider.canUncommit()
                        ? uncommitBatches(wanted, false, refused)
                        : releaseWhole(wanted, false);
        if (event != null) {
            event.finish(state.budget.poolName, PageSpace.PART, Granules.bytes(done));
        }
        return done;
    }

    /**
     * Uncommits what is warm, and renews what is mergeable of that; or renews only.
     *
     * @return how many granules were uncommitted
     */
    private long uncommitBatches(
            long wanted, boolean onlyRenews, @Nullable OsCallException[] refused) {
        long done = 0;
        Extent below = null; // the lowest granule that was refused
        boolean oneByOne = false;
        do {
            Isolation batch = new Isolation(state);
            try {
                synchronized (state) {
                    state.recoverIfNeededLocked();
                    if (onlyRenews) {
                        batch.isolateMergeableColdLocked();
                    } else {
                        batch.isolateWarmLocked(wanted - done, oneByOne, below);
                    }
                }
                StackBang.ensure();
                Extent locked = onlyRenews ? null : uncommit(batch, refused);
                Extent notRenewed = renewMergeable(batch);
                long some = batch.uncommittedCount();
                done += some;
                batch.putBack();
                if (notRenewed != null) {
                    boolean _ = state.takeOutLost(notRenewed); // it is free now
                }
                if (locked != null && !oneByOne) {
                    oneByOne = true;
                } else if (locked != null) {
                    below = locked;
                } else if (onlyRenews || some == 0) {
                    return done; // nothing left, or refused
                }
            } finally {
                batch.ended = true;
                if (batch.underWay) {
                    state.abandoned = true;
                }
            }
        } while (done < wanted);
        return done;
    }

    /**
     * Uncommits free memory that nobody needs.
     *
     * @param portion how many granules now
     * @param most how many there are; where only whole reservations can be released, any up to that
     * @return how many were uncommitted
     */
    long uncommitAtMost(long portion, long most) {
        return state.provider.canUncommit() ? uncommit(portion) : releaseWhole(most, true);
    }

    /**
     * Uncommits all, and notes why not all of it.
     *
     * @return the lowest that was refused because something in it is locked; null if nothing was
     */
    private @Nullable Extent uncommit(Isolation batch, @Nullable OsCallException[] refused) {
        List<Extent> extents = batch.extents;
        int count = extents.size();
        long[] addresses = new long[count];
        long[] sizes = new long[count];
        for (int i = 0; i < count; i++) {
            addresses[i] = extents.get(i).address();
            sizes[i] = extents.get(i).bytes();
        }
        Extent locked = null;
        int from = 0;
        while (from < count) {
            int done = count - from;
            boolean passes = false;
            try {
                state.provider.uncommit(
                        Arrays.copyOfRange(addresses, from, count),
                        Arrays.copyOfRange(sizes, from, count),
                        done);
            } catch (OsCallException refusal) {
                state.refused(refusal);
                refused[0] = refusal;
                done = refusal.done();
                passes = refusal.errno() == Errno.EINVAL;
            }
            for (int i = from; i < from + done; i++) {
                batch.uncommitted(extents.get(i));
            }
            from += done;
            if (from < count && passes) {
                locked = extents.get(from);
                from++;
            } else if (from < count) {
                return null; // so is all else, as far as is known
            }
        }
        return locked;
    }

    /**
     * Replaces what is mergeable and has no memory by fresh addresses. There is nothing to lose: a
     * call that is refused may leave what it was to replace, or a hole.
     *
     * @return what was refused; null if nothing was
     */
    private @Nullable Extent renewMergeable(Isolation batch) {
        for (Extent extent : batch.extents) {
            // Without the lock: whether the granule before it is moved is a hint, and asked again.
            boolean mergeable = extent.reservation().moved.isMergeable(extent.first, extent.count);
            if (mergeable && extent.warmTo == 0) {
                extent.renewing = true;
                try {
                    state.provider.renew(extent.address(), extent.bytes());
                } catch (OsCallException refusal) {
                    extent.renewing = false;
                    state.refused(refusal);
                    return extent;
                }
                batch.uncommitted(extent);
                if (extent.reservation().wantsHugePages) {
                    boolean _ =
                            state.provider.adviseHugePages(extent.address(), extent.bytes(), true);
                }
            }
        }
        return null;
    }

    /**
     * Replaces cold granules that were moved once by fresh addresses, which costs nothing but the
     * calls and wins mappings back.
     */
    void renewCold() {
        long _ = uncommitBatches(1, true, new @Nullable OsCallException[1]);
    }

    /**
     * Releases reservations that are free as a whole. Their memory goes in any case, locked or not.
     *
     * @param wanted how many granules at least, if there are
     * @param atMost whether no more than that
     * @return how many
     */
    long releaseWhole(long wanted, boolean atMost) {
        long done = 0;
        PageReservation[] candidates;
        synchronized (state) {
            state.recoverIfNeededLocked();
            candidates = state.reserved;
        }
        for (int i = candidates.length - 1; i >= 0 && done < wanted; i--) {
            PageReservation reservation = candidates[i];
            if (!atMost || reservation.size <= wanted - done) {
                done += release(reservation);
            }
        }
        return done;
    }

    private long release(PageReservation reservation) {
        Isolation whole = new Isolation(state);
        try {
            synchronized (state) {
                state.recoverIfNeededLocked();
                boolean theirs = reservation.released || reservation.inFlight;
                if (theirs || !reservation.isWholeButLost()) {
                    return 0;
                }
                whole.underWay = true;
                whole.isolateAllLocked(reservation);
                reservation.inFlight = true;
            }
            if (!state.release(reservation)) {
                return 0; // what is there still is reclaimed: a part may be gone, with its memory
            }
            synchronized (state) {
                state.recoverIfNeededLocked();
                reservation.inFlight = false;
                state.removeReleasedLocked(whole.extents);
            }
            whole.underWay = false;
            return reservation.size;
        } finally {
            if (whole.underWay) {
                reservation.inFlight = false;
                whole.ended = true;
                state.abandoned = true;
            }
        }
    }
}
