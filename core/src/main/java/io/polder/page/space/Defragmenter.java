package io.polder.page.space;

/**
 * Keeps contiguous runs ready for the sizes that are asked for, and clean granules where zeros are
 * asked for, so that those who take pages need not assemble or clean them.
 *
 * <p>A tick looks at the {@link Demand} of each size class, the largest first, and counts the
 * pieces that the warm runs have; what larger classes want is not counted again. Where a class has
 * fewer than it wants, a run is assembled of shorter ones; unless it is announced, only where as
 * much is left to others meanwhile.
 *
 * <p>It ends by itself: once nothing was taken for a while and nothing is announced, a tick says
 * that no other is needed, and the next take wakes it.
 *
 * <p>Locking: the lock of {@link PageState} for each look, and none while memory is moved.
 */
record Defragmenter(
        PageState state, Assembler assembler, PageUncommitter uncommitter, Cleaner cleaner) {
    /** Time between ticks: guessed, a few times what an assembly of many granules takes. */
    static final long PERIOD_NANOS = 1_000_000;

    /** What one tick does at most, so that other work of the thread gets its turn: guessed. */
    private static final int RUNS_PER_TICK = 8;

    /** How many granules one tick cleans at most: guessed, for the same reason. */
    private static final int CLEANED_PER_TICK = 8;

    /** One tick; returns whether another is needed. */
    boolean tick() {
        synchronized (state) {
            state.recoverIfNeededLocked();
            state.demand.tick();
        }
        prepare();
        return clean();
    }

    /** Assembles what is missing, as far as there is memory for it. */
    void prepare() {
        boolean many;
        synchronized (state) {
            state.recoverIfNeededLocked();
            many = state.mappingsLocked() > state.mappingsMax / 2;
        }
        if (many) { // long before assemblies stop for want of mappings
            uncommitter.renewCold();
        }
        for (int i = 0; i < RUNS_PER_TICK; i++) {
            int count;
            synchronized (state) {
                state.recoverIfNeededLocked();
                count = missingLocked();
            }
            if (count == 0 || !assembler.assembleRun(count)) {
                return;
            }
        }
    }

    /** The size of a run that is wanted and not there; 0 if nothing is missing. */
    private int missingLocked() {
        long spoken = 0;
        for (int c = Demand.CLASSES - 1; c > 0; c--) {
            long wanted = state.demand.wanted(c);
            if (wanted > 0) {
                int count = state.demand.runLength(c);
                long ready = readyLocked(count) - (spoken + count - 1) / count;
                // Others wait for what is isolated; a thread that has announced a size wants it so.
                int spare = state.demand.isAnnounced(c) ? 0 : count;
                if (ready < wanted && assembler.canAssembleLocked(count, spare)) {
                    return count;
                }
                spoken += wanted * count;
            }
        }
        return 0;
    }

    /** How many pieces of so many granules the long runs have, at least. */
    private long readyLocked(int count) {
        long ready = 0;
        for (PageReservation reservation : state.reserved) {
            ready += reservation.warm.pieces(count);
        }
        return ready;
    }

    /**
     * Cleans as much as was asked for lately, of what nobody took since the last tick: a page that
     * one thread takes and gives again and again is cleaned by that thread, and is there when it
     * comes. Returns whether another tick is needed, also for what was asked for.
     */
    private boolean clean() {
        long missing;
        long idle;
        boolean active;
        synchronized (state) {
            state.recoverIfNeededLocked();
            long dirtyFree = state.dirtyFreeLocked();
            long cleanFree = state.warmFree - dirtyFree;
            missing = Math.min(state.demand.zeroLately() - cleanFree, dirtyFree);
            idle = state.idleWarm.next(state.warmFree) - cleanFree;
            active = state.demand.isActive();
        }
        if (missing <= 0) {
            return active;
        }
        long most = Math.min(Math.min(missing, idle), CLEANED_PER_TICK);
        return most <= 0 || cleaner.cleanFree((int) most) > 0 || active;
    }
}
