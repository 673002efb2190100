package io.polder.chunk;

import io.polder.memory.OsCallException;

import org.jspecify.annotations.Nullable;

/**
 * Reserves address space for root chunks when they run out.
 *
 * <p>Each reservation is twice as large as the one before, so that few mappings are added to the
 * process. Where memory comes with the reservation, one root at a time.
 *
 * <p><b>Locking.</b> Its own monitor is held by whoever reserves, also for a large mapping: so the
 * limit on reserved memory is compared and charged without anybody in between. It is the outermost
 * lock of the space, and held during system calls.
 *
 * <p><b>Failure.</b> Where the operating system has no room for a large reservation, smaller ones
 * are tried, down to one root chunk.
 */
final class Growth {
    /** Guessed: nothing to a 64-bit address space, and enough for most programs. */
    static final long FIRST_BYTES = 64L << 20;

    /** Guessed: with this, a space of 16 GiB has added 20 mappings at the most. */
    static final long LARGEST_BYTES = 1L << 30;

    /**
     * One reservation takes at most this part of what the limit leaves: so that a first small chunk
     * does not bar a large mapping. A quarter is guessed.
     */
    private static final int SHARE_OF_LEFT = 4;

    private final SpaceState state;
    private final Uncommitter uncommitter;
    private long nextBytes;

    Growth(SpaceState state, Uncommitter uncommitter) {
        this.state = state;
        this.uncommitter = uncommitter;
        this.nextBytes = state.provider.canUncommit() ? FIRST_BYTES : ChunkLevel.ROOT_BYTES;
    }

    /**
     * Takes a chunk for which a root may have to be reserved; if that fails, a smaller one.
     *
     * @throws ChunkExhaustedException if there is no chunk, and why there is no new root
     */
    long take(int preferred, int smallest) {
        ChunkExhaustedException failure;
        synchronized (this) {
            do {
                synchronized (state) {
                    state.checkOpenLocked();
                    long chunk = state.takeLocked(preferred, smallest);
                    if (chunk != Chunk.NONE) {
                        return chunk;
                    }
                }
                failure = reserve();
            } while (failure == null);
        }
        uncommitter.awaitClaimed();
        synchronized (state) {
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

    /** Reserves root chunks; returns why not if it cannot. The monitor is held. */
    private @Nullable ChunkExhaustedException reserve() {
        long bytes;
        synchronized (state) {
            Ledger ledger = state.ledger;
            if (!ledger.canReserve(ChunkLevel.ROOT_BYTES)) {
                return ChunkExhaustedException.reserved(ledger, ChunkLevel.ROOT_BYTES);
            }
            if (!state.provider.canUncommit() && !ledger.canCommit(ChunkLevel.ROOT_BYTES)) {
                return ChunkExhaustedException.committed(ledger, ChunkLevel.ROOT_BYTES);
            }
            long left = ledger.limits.reservedMaxBytes() - ledger.reservedBytes;
            long share = left / SHARE_OF_LEFT & -ChunkLevel.ROOT_BYTES;
            bytes = Math.max(ChunkLevel.ROOT_BYTES, Math.min(nextBytes, share));
        }
        while (true) {
            try {
                add(state.provider.reserve(bytes, ChunkLevel.ROOT_BYTES), bytes);
                return null;
            } catch (OsCallException refusal) {
                synchronized (state) {
                    state.ledger.refused(refusal);
                }
                if (!refusal.isExhaustion() || bytes == ChunkLevel.ROOT_BYTES) {
                    return ChunkExhaustedException.refused(refusal);
                }
            }
            bytes = Math.max(ChunkLevel.ROOT_BYTES, (bytes / 2) & -ChunkLevel.ROOT_BYTES);
        }
    }

    private void add(long address, long bytes) {
        if (state.provider.canUncommit()) {
            // Memory is used and uncommitted by the page; a huge page would be neither.
            state.provider.adviseHugePages(address, bytes, false);
            nextBytes = Math.min(2 * nextBytes, LARGEST_BYTES);
        }
        synchronized (state) {
            state.roots.add(new RootReservation(address, bytes));
            state.ledger.reservedBytes += bytes;
        }
    }
}
