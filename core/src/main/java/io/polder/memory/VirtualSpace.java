package io.polder.memory;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * Address space of one owner, and the memory behind it: which ranges are reserved, how much of them
 * is committed, what of both is charged to the budget, and what the operating system refused. The
 * owner knows what of it is free, and what it is made of: chunks, or granules. HotSpot calls it so.
 *
 * <pre>{@code
 *   spaces, by address     [ 64 MiB ]  [ 128 MiB ]  ...     few; each twice as large as the last
 *
 *            expect          arrive                         whole: release
 *   nothing --------> coming -------> reserved, committed --------------> nothing
 *            charged         added                           removed, refunded
 * }</pre>
 *
 * <p><b>Invariants</b>, whenever its lock is free, as {@code VirtualSpaceCheck} has them:
 *
 * <pre>{@code
 *   reserved                 ==  sum of the reserved spaces
 *   reserved, coming         ==  charged as reserved
 *   committed, coming with memory  ==  charged as committed
 *   committed                ==  committedTotal - uncommittedTotal
 *   committed                <=  reserved
 *   charged                  <=  what all have charged  <=  the limits
 * }</pre>
 *
 * <p><b>Locking.</b> Its own monitor guards everything in it, and what the owner adds. Methods that
 * end in {@code Locked} are called with it held; no system call is made under it, but {@link
 * MemoryProvider#commit}, which is a check.
 *
 * <p><b>Errors.</b> Any call may be cut short. What is true is the array of the reserved spaces,
 * what is coming, and the charges, each stored in place right after what it says has happened.
 * {@link #inTransition} is set before the first store of a change and cleared after the last; a
 * thread that takes the lock calls {@link #recoverIfNeededLocked} first, and if it is set has all
 * else made anew. So what was charged in vain is refunded, and a range that has come is kept.
 *
 * @param <R> what the owner knows of a reserved range
 */
public abstract class VirtualSpace<R extends ReservedSpace> {
    /** Where memory comes from. */
    public final MemoryProvider provider;

    /** What it may have, together with others. */
    public final MemoryBudget budget;

    /** By address; replaced as a whole, and not to be changed. Decides. */
    public R[] reserved;

    /** What is about to be reserved; null if nothing is. */
    public @Nullable R coming;

    /** Whether a change is under way, or was cut short. */
    public boolean inTransition;

    /** The sum of the reserved spaces. */
    public long reservedBytes;

    /** How much of it has memory behind it. */
    public long committedBytes;

    /** What the budget was charged with as reserved. Decides. */
    long reservedCharged;

    /** What the budget was charged with as committed. Decides. */
    long committedCharged;

    /** Memory committed so far; less what was uncommitted, it is committed now. */
    public long committedTotalBytes;

    /** Memory given back so far. */
    public long uncommittedTotalBytes;

    /** Whether its addresses stay mapped for readers who do not know that they are released. */
    public volatile boolean leavesMapped;

    /** Calls that the operating system refused. */
    public long refusals;

    /** The last of them; null if there was none. */
    public @Nullable OsCallException lastRefusal;

    /**
     * A space without addresses.
     *
     * @param none an array of no reserved spaces
     */
    protected VirtualSpace(MemoryProvider provider, MemoryBudget budget, R[] none) {
        this.provider = provider;
        this.budget = budget;
        this.reserved = none;
    }

    /** Finishes what others began. To be called first by the thread that has taken the lock. */
    public void recoverIfNeededLocked() {
        if (inTransition) {
            recoverLocked();
        }
    }

    /** A range that is not reserved yet, with all that the owner needs to know of it. */
    protected abstract R toReserve(long bytes);

    /** Told of a range that is reserved and counted now, with memory behind it or without. */
    protected abstract void addedLocked(R added, boolean committed);

    /**
     * Makes anew what the owner knows and what follows from the truth, in a recovery; may be cut
     * short, and is done again then.
     *
     * @return how much is committed
     */
    protected abstract long rebuildLocked();

    /**
     * Makes anew what follows from the truth, after a change that was cut short. Whatever is
     * thrown, {@link #inTransition} stays set: so the next thread begins again.
     */
    public final void recoverLocked() {
        inTransition = true;
        dropReleasedLocked();
        recoverComingLocked();
        recountLocked(rebuildLocked());
        refundLocked();
        inTransition = false;
    }

    /** Whether memory comes with addresses: a range is committed then as long as it is reserved. */
    private boolean comesCommitted() {
        return !provider.canUncommit();
    }

    /**
     * Charges address space that is about to be reserved; it is in flight then.
     *
     * @return why it cannot be; null if the limits allow it
     */
    public final @Nullable MemoryExhaustedException expectLocked(R range) {
        long bytes = range.bytes();
        inTransition = true;
        if (!tryReserveLocked(bytes)) {
            inTransition = false;
            return budget.reserved.exhausted(bytes);
        }
        if (comesCommitted() && !tryCommitLocked(bytes)) {
            refundLocked();
            inTransition = false;
            return budget.committed.exhausted(bytes);
        }
        range.inFlight = true;
        coming = range; // decides
        inTransition = false;
        return null;
    }

    /**
     * Ends the wait for a range: it has an address, or there is none. It is in flight no longer,
     * and {@link #inTransition} is set.
     *
     * @param intact whether it was not set before
     */
    final void arriveLocked(R range, boolean intact) {
        if (!intact) {
            recoverLocked();
            return;
        }
        if (range.address() != 0) {
            boolean committed = comesCommitted();
            reserved = withLocked(range); // decides
            reservedBytes += range.bytes();
            if (committed) {
                committedLocked(range.bytes());
            }
            addedLocked(range, committed);
        }
        coming = null;
        refundLocked();
        inTransition = false;
    }

    private R[] withLocked(R range) {
        return ReservedSpace.with(reserved, range, Arrays.copyOf(reserved, reserved.length + 1));
    }

    /** In a recovery: adds what has come, if it is in flight no longer. */
    private void recoverComingLocked() {
        R range = coming;
        if (range == null || range.inFlight) {
            return;
        }
        if (range.address() != 0 && containingLocked(range.address()) != range) {
            reserved = withLocked(range);
        }
        coming = null;
    }

    /**
     * The range in which an address lies. One that is in flight is being released, and does not
     * count: the system may have handed out its addresses again already. Makes no object, since a
     * recovery asks.
     *
     * @return null if there is none
     */
    public final @Nullable R containingLocked(long address) {
        int at = ReservedSpace.indexOfFloor(reserved, address);
        while (at >= 0 && reserved[at].inFlight) {
            at--;
        }
        return at >= 0 && reserved[at].contains(address) ? reserved[at] : null;
    }

    /** Whether an address lies in a range that is reserved. */
    public final synchronized boolean contains(long address) {
        recoverIfNeededLocked();
        return containingLocked(address) != null;
    }

    /** How much was given back so far; asks the lock. */
    public final synchronized long uncommittedTotal() {
        recoverIfNeededLocked();
        return uncommittedTotalBytes;
    }

    /** Forgets the ranges that are {@linkplain ReservedSpace#released released}. */
    public final void dropReleasedLocked() {
        for (R range : reserved) {
            // The thread that releases it says so when nothing else is to be done with it.
            if (range.released && !range.inFlight) {
                reserved = ReservedSpace.without(reserved, range); // decides
                reservedBytes = sumLocked();
            }
        }
    }

    /** How large all reserved spaces are together. */
    public final long sumLocked() {
        long bytes = 0;
        for (R range : reserved) {
            bytes += range.bytes();
        }
        return bytes;
    }

    /**
     * Releases a whole range, all of which the caller has isolated. No lock is held.
     *
     * @return whether it is released; if not, the operating system refused
     */
    public final boolean release(R range) {
        StackBang.ensure();
        try {
            if (leavesMapped) {
                provider.releaseMapped(range.address(), range.bytes());
            } else {
                provider.release(range.address(), range.bytes());
            }
            range.released = true;
            return true;
        } catch (OsCallException refusal) {
            refused(refusal);
            return false;
        }
    }

    /** Counts a refusal; the lock is not held. */
    public final void refused(OsCallException refusal) {
        synchronized (this) {
            recoverIfNeededLocked();
            refusedLocked(refusal);
        }
    }

    /** Counts a refusal. */
    public final void refusedLocked(OsCallException refusal) {
        refusals++;
        lastRefusal = refusal;
    }

    /**
     * To be called when a space is closed.
     *
     * @throws IllegalStateException if something is still reserved, since the system refused
     */
    public final void checkReleasedLocked() {
        if (reservedBytes != 0) {
            throw new IllegalStateException(
                    "a closed space must release everything: reservedBytes=" + reservedBytes,
                    lastRefusal);
        }
    }

    /** Charges memory that is about to be committed; returns false if the limit is in the way. */
    public final boolean tryCommitLocked(long bytes) {
        if (!budget.committed.tryCharge(bytes)) {
            return false;
        }
        committedCharged += bytes;
        return true;
    }

    /** Charges address space about to be reserved; returns false if the limit is in the way. */
    public final boolean tryReserveLocked(long bytes) {
        if (!budget.reserved.tryCharge(bytes)) {
            return false;
        }
        reservedCharged += bytes;
        return true;
    }

    /** Counts memory that was charged. */
    public final void committedLocked(long bytes) {
        committedBytes += bytes;
        committedTotalBytes += bytes;
    }

    /** Counts memory no more, and refunds it. */
    public final void uncommittedLocked(long bytes) {
        committedBytes -= bytes;
        uncommittedTotalBytes += bytes;
        refundLocked();
    }

    /** Refunds what is charged, and neither counts nor is about to. */
    public final void refundLocked() {
        long coming = comingLocked();
        long committed = committedCharged - committedBytes - (comesCommitted() ? coming : 0);
        if (committed > 0) {
            budget.committed.refund(committed);
            committedCharged -= committed;
        }
        long addresses = reservedCharged - reservedBytes - coming;
        if (addresses > 0) {
            budget.reserved.refund(addresses);
            reservedCharged -= addresses;
        }
    }

    /** What it has now, and had so far. */
    public final MemoryUsage usageLocked() {
        return new MemoryUsage(
                said(budget.limits.committedMaxBytes()),
                said(budget.limits.reservedMaxBytes()),
                reservedBytes,
                committedBytes,
                committedTotalBytes,
                uncommittedTotalBytes,
                refusals);
    }

    /** A limit as it is said to others: what is none is not the size of the address space. */
    private static long said(long limitBytes) {
        return limitBytes < MemoryLimits.ADDRESS_SPACE_BYTES ? limitBytes : -1;
    }

    /** Address space that is charged, and about to be reserved. */
    public final long comingLocked() {
        R range = coming;
        return range == null ? 0 : range.bytes();
    }

    /** Corrects the sums, in a recovery. */
    private void recountLocked(long committed) {
        long change = committed - (committedTotalBytes - uncommittedTotalBytes);
        committedTotalBytes += Math.max(change, 0);
        uncommittedTotalBytes += Math.max(-change, 0);
        committedBytes = committed;
        reservedBytes = sumLocked();
    }
}
