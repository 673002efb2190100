package io.polder.cache;

/**
 * Gives memory of a cache back: to its limits, to others of its pool, and what is dead.
 *
 * <p>Who calls these holds no lock.
 *
 * <p>Thread-safe.
 */
final class Shrinking {
    /** Compaction may leave more than it was thought to; then there is less room than before. */
    private static final int SHRINK_ROUNDS = 4;

    /** So much of what is too much is evicted before the index is asked again what it takes. */
    private static final int EXCESS_PARTS = 4;

    /** Compaction frees whole pages: what is dead has to exceed what others want by this. */
    private static final long PAGE_BYTES = 2L << 20;

    private final Store store;
    private final Compacting compacting;

    Shrinking(Store store) {
        this.store = store;
        this.compacting = new Compacting(store.entries.heap);
    }

    /**
     * Evicts what is beyond the limits, and no more than that, and compacts if it was much.
     *
     * @param once whether to do that once in any case, since much may be dead
     */
    void shrink(boolean once) {
        long _ = store.recycled.clear();
        long before = store.eviction.goneBytes();
        boolean compacts = true;
        for (int i = 0; i < SHRINK_ROUNDS && ((once && i == 0) || store.budget.isOver(0, 0)); i++) {
            // Measures what the heap holds: nothing leaves for what is dead.
            compacts = compacts && compact();
            evictExcess();
        }
        if (compacts && store.eviction.goneBytes() - before >= Lines.CHUNK_BYTES) {
            boolean _ = compact();
        }
    }

    /** A part at a time, since the index takes less when there are fewer entries. */
    private void evictExcess() {
        store.eviction.shrink();
        settleAll();
        long excess = store.budget.excessBytes();
        while (excess > 0) {
            long freed =
                    store.eviction.free(Math.max(excess / EXCESS_PARTS, Lines.CHUNK_BYTES / 4));
            settleAll();
            if (freed == 0) {
                return;
            }
            excess = store.budget.excessBytes();
        }
    }

    /** Evicts for others of the pool; the pool has the heap compacted then. */
    long free(long bytes) {
        try {
            long kept = store.recycled.clear();
            long freed = store.eviction.free(bytes + PAGE_BYTES - kept);
            settleAll();
            return kept + freed;
        } catch (IllegalStateException thrown) {
            if (store.entries.isOpen()) {
                throw thrown;
            }
            return 0; // it was closed meanwhile
        }
    }

    /** Has the index follow the number of entries to the end. */
    void settleAll() {
        long before;
        do {
            before = store.index.buckets();
            for (int i = 0; i < Index.STRIPES_MAX; i++) {
                store.resize();
            }
        } while (store.index.buckets() != before);
        store.resizing.trim();
    }

    /** Compacts; returns false if somebody who reads a large entry holds that up for long. */
    boolean compact() {
        boolean done = compacting.compact();
        store.budget.measure();
        return done;
    }
}
