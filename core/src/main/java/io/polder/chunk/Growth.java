package io.polder.chunk;

import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.VirtualSpaceGrowth;
import io.polder.memory.VirtualSpaceGrowth.HugePages;

/**
 * Takes chunks for which root chunks have to be reserved first.
 *
 * <p><b>Locking.</b> The monitor of the {@link VirtualSpaceGrowth} is held by the thread that
 * reserves. It is the outermost lock of the space; no lock is held while others who share the
 * budget make room.
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
    private final Uncommitter uncommitter;

    /** Its monitor is held by the thread that reserves. */
    final VirtualSpaceGrowth<RootReservation> reserving;

    Growth(SpaceState state, Uncommitter uncommitter) {
        this.state = state;
        this.uncommitter = uncommitter;
        // Memory is used and uncommitted by the page; a huge page would be neither.
        this.reserving =
                new VirtualSpaceGrowth<>(
                        state,
                        new VirtualSpaceGrowth.Policy(
                                ChunkLevel.ROOT_BYTES,
                                FIRST_BYTES,
                                LARGEST_BYTES,
                                SHARE_OF_LEFT,
                                HugePages.UNWANTED));
    }

    /**
     * Takes a chunk for which a root may have to be reserved; if that fails, a smaller one.
     *
     * @throws MemoryExhaustedException if there is no chunk, and why there is no new root
     */
    long take(int preferred, int smallest) {
        MemoryExhaustedException failure;
        int left = ChunkSpace.ATTEMPTS_MAX;
        do {
            synchronized (reserving) {
                do {
                    long chunk = state.take(preferred, smallest, false);
                    if (chunk != Chunk.NONE) {
                        return chunk;
                    }
                    failure = reserving.reserve(ChunkLevel.ROOT_BYTES);
                } while (failure == null); // there is more each time, so a limit ends it
            }
        } while (left-- > 0 && failure.limit() != null && makeRoom());
        synchronized (reserving) {
            uncommitter.awaitIsolated(); // what another thread was releasing is released then
            long chunk = state.take(preferred, smallest, false);
            if (chunk != Chunk.NONE) {
                return chunk;
            }
            if (failure.limit() != null) {
                MemoryExhaustedException _ = reserving.reserve(ChunkLevel.ROOT_BYTES);
            }
        }
        synchronized (state) {
            state.recoverIfNeededLocked();
            state.checkOpenLocked();
            long chunk = state.takeLocked(preferred, smallest, false);
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
     * Makes those who share the limits give back what is free, so that a root fits; with no lock of
     * this space held.
     *
     * @return whether that is worth another attempt
     */
    private boolean makeRoom() {
        return state.budget.reserved.makeRoom(ChunkLevel.ROOT_BYTES)
                && (state.provider.canUncommit()
                        || state.budget.committed.makeRoom(ChunkLevel.ROOT_BYTES));
    }
}
