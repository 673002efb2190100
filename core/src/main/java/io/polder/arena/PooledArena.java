package io.polder.arena;

import java.lang.foreign.Arena;

/** An arena whose bytes come from a pool. */
sealed interface PooledArena extends Arena permits ConfinedArena, SharedArena, DeferredArena {
    /** Where its bytes come from. */
    ChunkSource source();

    /**
     * Whether a request needs nothing of the pool: it fits what the arena has, or will be refused
     * because the arena is closed, or another thread's. A hint where other threads allocate.
     *
     * @param bytes the size, 0 or more
     * @param alignment a power of two
     */
    boolean hasRoom(long bytes, long alignment);
}
