package io.polder.page.space;

import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryProvider;
import io.polder.memory.OsCallException;
import io.polder.memory.StackBang;
import io.polder.page.space.PageReservation.Kind;

import org.jspecify.annotations.Nullable;

/**
 * Reserves address space for pages.
 *
 * <p>Much more than is committed: an assembly needs contiguous addresses without memory, and
 * addresses cost nothing. Under a limit the first reservation is several times the limit, so that
 * there is hardly ever a second one; without a limit each is twice as large as the one before.
 * Where memory comes with the reservation, it is just as large as the page that needs it.
 *
 * <p><b>Locking.</b> Its own monitor, outside that of {@link PageState}, is held while it reserves,
 * so that two threads do not both do so. What is charged to the budget and not counted by the state
 * yet is in its hands.
 *
 * <p><b>Failure.</b> Where the operating system has no room for a large reservation, smaller ones
 * are tried, down to what is needed. What is charged and mapped is stored in place as soon as it
 * is, and the {@link PageReservation} is made before there are addresses for it: what an error
 * leaves is released and refunded by the next who {@linkplain #settle settles}.
 */
final class AreaGrowth {
    /** Guessed: nothing to a 64-bit address space. */
    static final long FIRST_BYTES = 256L << 20;

    /** Guessed: with this, a space of a terabyte has a few tens of reservations. */
    static final long LARGEST_BYTES = 64L << 30;

    /** Addresses for each byte that may be committed: guessed; a collector takes 16. */
    private static final int TIMES_LIMIT = 4;

    /** A limit above this is none for the first reservation. */
    private static final long LIMIT_MAX_BYTES = 1L << 40;

    private final PageState state;
    private final MemoryProvider provider;
    private final boolean hugePages;
    private long nextBytes;

    /** What is being added; null if nothing is, or it was added. */
    private @Nullable PageReservation pending;

    /** Whether its addresses are reserved. */
    private boolean mapped;

    private long chargedReserved;
    private long chargedCommitted;

    AreaGrowth(PageState state, boolean hugePages) {
        this.state = state;
        this.hugePages = hugePages;
        this.provider = state.provider;
        long limit = state.budget.limits().committedMaxBytes();
        this.nextBytes = limit <= LIMIT_MAX_BYTES ? TIMES_LIMIT * limit : FIRST_BYTES;
    }

    /**
     * Reserves contiguous addresses for so many granules, unless somebody just has.
     *
     * @return why it could not; null if there are such addresses now
     */
    synchronized @Nullable MemoryExhaustedException reserve(int count) {
        synchronized (state.lock()) {
            state.enterLocked();
            state.checkOpenLocked();
            if (state.hasColdLocked(count)) {
                return null;
            }
        }
        return provider.canUncommit() ? reserveAhead(count) : reserveCommitted(count);
    }

    private @Nullable MemoryExhaustedException reserveAhead(int count) {
        long least = Granules.bytes(count);
        long left = Math.min(state.budget.reservableBytes(), provider.reservableAheadBytes());
        long share = left / 2 & -PageSpace.GRANULE_BYTES;
        long bytes = Math.max(least, Math.min(nextBytes & -PageSpace.GRANULE_BYTES, share));
        while (true) {
            try {
                if (tryAdd(bytes, Kind.COLD)) {
                    nextBytes = Math.clamp(2 * bytes, FIRST_BYTES, LARGEST_BYTES);
                    return null;
                }
                if (bytes == least) {
                    return state.budget.reservedExhausted(bytes);
                }
            } catch (OsCallException refusal) {
                note(refusal);
                if (!refusal.isExhaustion() || bytes == least) {
                    return MemoryExhaustedException.refused(refusal);
                }
            }
            bytes = Math.max(least, bytes / 2 & -PageSpace.GRANULE_BYTES);
        }
    }

    /** Reserves and commits at once, where memory comes with the addresses. */
    private @Nullable MemoryExhaustedException reserveCommitted(int count) {
        long bytes = Granules.bytes(count);
        try {
            if (tryAdd(bytes, Kind.WARM)) {
                return null;
            }
            return bytes > state.budget.reservableBytes()
                    ? state.budget.reservedExhausted(bytes)
                    : state.budget.committedExhausted(bytes);
        } catch (OsCallException refusal) {
            note(refusal);
            return MemoryExhaustedException.refused(refusal);
        }
    }

    /** Reserves so much and adds it; returns whether there is room under the limits. */
    private boolean tryAdd(long bytes, byte kind) {
        settle();
        try {
            if (!state.budget.tryReserve(bytes)) {
                return false;
            }
            chargedReserved = bytes;
            if (kind == Kind.WARM) {
                if (!state.budget.tryCommit(bytes)) {
                    return false;
                }
                chargedCommitted = bytes;
            }
            PageReservation reservation =
                    new PageReservation(state, Math.toIntExact(bytes >> Granules.SHIFT), kind);
            pending = reservation;
            StackBang.ensure();
            reservation.address = provider.reserve(bytes, PageSpace.GRANULE_BYTES);
            mapped = true;
            if (hugePages) {
                boolean _ = provider.adviseHugePages(reservation.address, bytes, true);
            }
            add(reservation);
            return true;
        } finally {
            settle();
        }
    }

    private void add(PageReservation reservation) {
        synchronized (state.lock()) {
            state.enterLocked();
            PageReservation[] more = state.reservationsWithLocked(reservation);
            state.addLocked(reservation, more, chargedCommitted >> Granules.SHIFT);
        }
    }

    /**
     * Forgets what was added, and gives back what was charged or reserved for what was not. Does
     * nothing if there is neither.
     */
    synchronized void settle() {
        PageReservation reservation = pending;
        if (reservation != null) {
            if (reservation.added) {
                chargedReserved = 0;
                chargedCommitted = 0;
            } else if (mapped) {
                provider.release(reservation.address(), reservation.bytes());
            }
            mapped = false;
            pending = null;
        }
        if (chargedCommitted > 0) {
            state.budget.uncommitted(chargedCommitted);
            chargedCommitted = 0;
        }
        if (chargedReserved > 0) {
            state.budget.released(chargedReserved);
            chargedReserved = 0;
        }
    }

    /** Settles, unless the operating system refuses. */
    void trySettle() {
        try {
            settle();
        } catch (OsCallException refusal) {
            note(refusal);
        }
    }

    private void note(OsCallException refusal) {
        synchronized (state.lock()) {
            state.enterLocked();
            state.refusedLocked(refusal);
        }
    }
}
