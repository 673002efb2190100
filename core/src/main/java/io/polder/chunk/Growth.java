package io.polder.chunk;

import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.OsCallException;

import org.jspecify.annotations.Nullable;

/**
 * Reserves address space for root chunks when they run out.
 *
 * <p>Each reservation is twice as large as the one before, so that few mappings are added to the
 * process. Where memory comes with the reservation, one root at a time.
 *
 * <p><b>Locking.</b> Its own monitor is held by whoever reserves, so that threads that find no
 * chunk at the same time do not reserve for each of them. It is the outermost lock of the space,
 * and held during system calls; no lock is held while others who share the budget make room.
 *
 * <p><b>Failure.</b> Where a limit or the operating system has no room for a large reservation,
 * smaller ones are tried, down to one root chunk. Whatever is thrown, an address that has come is
 * kept for the next who needs a root, and a charge for one that has not is refunded: here, or by
 * the next who takes the lock of {@link SpaceState}.
 */
final class Growth {
    /** Guessed: nothing to a 64-bit address space, and enough for most programs. */
    static final long FIRST_BYTES = 64L << 20;

    /** Guessed: with this, a space of 16 GiB has added 20 mappings at the most. */
    static final long LARGEST_BYTES = 1L << 30;

    /**
     * One reservation takes at most this part of what the limits leave: so that a first small chunk
     * does not bar a large allocation. A quarter is guessed.
     */
    private static final int SHARE_OF_LEFT = 4;

    private final SpaceState state;
    private final MemoryBudget budget;
    private final Uncommitter uncommitter;
    private long nextBytes;

    Growth(SpaceState state, Uncommitter uncommitter) {
        this.state = state;
        this.budget = state.budget;
        this.uncommitter = uncommitter;
        this.nextBytes = state.provider.canUncommit() ? FIRST_BYTES : ChunkLevel.ROOT_BYTES;
    }

    /**
     * Takes a chunk for which a root may have to be reserved; if that fails, a smaller one.
     *
     * @throws MemoryExhaustedException if there is no chunk, and why there is no new root
     */
    long take(int preferred, int smallest) {
        MemoryExhaustedException failure;
        do {
            synchronized (this) {
                do {
                    long chunk = tryTake(preferred, smallest);
                    if (chunk != Chunk.NONE) {
                        return chunk;
                    }
                    failure = reserve();
                } while (failure == null);
            }
        } while (failure.byLimit() && makeRoom());
        uncommitter.awaitIsolated();
        synchronized (state) {
            state.enterLocked();
            state.checkOpenLocked();
            long chunk = state.takeLocked(preferred, smallest);
            if (chunk == Chunk.NONE) {
                chunk = state.takeSmallerLocked(preferred, smallest);
            }
            if (chunk == Chunk.NONE) {
                throw failure;
            }
            return chunk;
        }
    }

    /**
     * Makes it likely that a chunk can be taken without reserving anything: a root is reserved if
     * need be.
     *
     * @throws MemoryExhaustedException if there is none, and why there is no new root
     */
    void makeFree(int level) {
        MemoryExhaustedException failure;
        do {
            synchronized (this) {
                if (hasFree(level)) {
                    return;
                }
                failure = reserve();
            }
            if (failure == null) {
                return;
            }
        } while (failure.byLimit() && makeRoom());
        uncommitter.awaitIsolated();
        if (!hasFree(level)) {
            throw failure;
        }
    }

    private boolean hasFree(int level) {
        synchronized (state) {
            state.enterLocked();
            state.checkOpenLocked();
            return state.hasFreeLocked(level);
        }
    }

    private long tryTake(int preferred, int smallest) {
        synchronized (state) {
            state.enterLocked();
            state.checkOpenLocked();
            return state.takeLocked(preferred, smallest);
        }
    }

    /**
     * Has those who share the limits give back what is free, so that a root fits; with no lock
     * held.
     *
     * @return whether that is worth another attempt
     */
    private boolean makeRoom() {
        return budget.makeReservedRoom(ChunkLevel.ROOT_BYTES)
                && (state.provider.canUncommit() || budget.makeRoom(ChunkLevel.ROOT_BYTES));
    }

    /** Reserves root chunks; returns why not if it cannot. The monitor is held. */
    private @Nullable MemoryExhaustedException reserve() {
        if (!state.provider.canUncommit() && !canStartAnother()) {
            return budget.committedExhausted(ChunkLevel.ROOT_BYTES);
        }
        long left = Math.min(budget.reservableBytes(), state.provider.reservableAheadBytes());
        long share = left / SHARE_OF_LEFT & -ChunkLevel.ROOT_BYTES;
        long bytes = Math.max(ChunkLevel.ROOT_BYTES, Math.min(nextBytes, share));
        while (true) {
            MemoryExhaustedException failure = tryReserve(bytes);
            boolean less = bytes > ChunkLevel.ROOT_BYTES;
            if (failure == null || !less) {
                return failure;
            }
            if (failure.getCause() instanceof OsCallException refusal && !refusal.isExhaustion()) {
                return failure;
            }
            bytes = Math.max(ChunkLevel.ROOT_BYTES, (bytes / 2) & -ChunkLevel.ROOT_BYTES);
        }
    }

    /** Whether a root could be committed as a whole, and none waits for that already. */
    private boolean canStartAnother() {
        synchronized (state) {
            state.enterLocked();
            return state.roots.withUnstarted(state.leaving) == null
                    && budget.committableBytes() >= ChunkLevel.ROOT_BYTES;
        }
    }

    private @Nullable MemoryExhaustedException tryReserve(long bytes) {
        RootReservation reservation = new RootReservation(bytes);
        OsCallException refusal = null;
        try {
            synchronized (state) {
                state.enterLocked();
                if (!state.expectLocked(reservation)) {
                    return budget.reservedExhausted(bytes);
                }
            }
            reservation.address = state.provider.reserve(bytes, ChunkLevel.ROOT_BYTES);
            advise(reservation);
        } catch (OsCallException e) {
            refusal = e;
        } finally {
            synchronized (state) {
                if (state.coming != null) {
                    boolean intact = !state.changing;
                    state.changing = true;
                    reservation.inFlight = false;
                    state.arriveLocked(reservation, intact);
                }
            }
        }
        return refusal == null ? null : refused(refusal);
    }

    private void advise(RootReservation reservation) {
        if (state.provider.canUncommit()) {
            // Memory is used and uncommitted by the page; a huge page would be neither.
            state.provider.adviseHugePages(reservation.address(), reservation.bytes(), false);
            nextBytes = Math.min(2 * nextBytes, LARGEST_BYTES);
        }
    }

    private MemoryExhaustedException refused(OsCallException refusal) {
        synchronized (state) {
            state.ledger.refused(refusal);
        }
        return MemoryExhaustedException.refused(refusal);
    }
}
