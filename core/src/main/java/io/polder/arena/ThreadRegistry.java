package io.polder.arena;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;

/**
 * Knows which threads keep slabs, and takes the slabs of those that ended.
 *
 * <p>There is no hook for the end of a thread. So whenever a thread registers, a few of the others
 * are looked at, in turn: with more looked at than registered, those that ended cannot pile up,
 * however many there are, and no garbage collection is waited for. Before more memory is reserved,
 * all are looked at.
 *
 * <p>Invariant: after a registration, the threads known that have ended are at most a fraction of
 * those alive plus {@link #LOOK_AT}, in the long run.
 *
 * <p>Thread-safe: one lock, taken before that of {@link ChunkSource}, held for a few reads.
 */
final class ThreadRegistry {
    /** Threads looked at for each that registers; more than one, so that the dead are caught up. */
    static final int LOOK_AT = 4;

    private final ArrayDeque<ThreadSlabs> known = new ArrayDeque<>();
    private final ChunkSource source;
    private long endedTotal;

    ThreadRegistry(ChunkSource source) {
        this.source = source;
    }

    /** Adds the slabs of a thread that just began to use the pool. */
    synchronized void register(ThreadSlabs slabs) {
        look(LOOK_AT);
        known.addLast(slabs);
    }

    /**
     * The slabs of a thread that registered before.
     *
     * @param ownerId the {@link Thread#threadId()} of a living thread
     * @return null if it did not register
     */
    synchronized @Nullable ThreadSlabs find(long ownerId) {
        for (ThreadSlabs slabs : known) {
            if (slabs.ownerId() == ownerId) {
                return slabs;
            }
        }
        return null;
    }

    /** Looks at a few threads, before one more slab is taken. */
    synchronized void look() {
        look(LOOK_AT);
    }

    /** Takes the slabs of every thread that has ended; returns how many slabs came back. */
    synchronized int reclaim() {
        return look(known.size());
    }

    /** How many threads are known that had not ended when they were last looked at. */
    synchronized int threads() {
        return known.size();
    }

    /** How many threads were seen to have ended. */
    synchronized long endedTotal() {
        return endedTotal;
    }

    private int look(int atMost) {
        int slabs = 0;
        for (int i = Math.min(atMost, known.size()); i > 0; i--) {
            ThreadSlabs first = known.removeFirst();
            if (first.ended()) {
                slabs += first.drainTo(source::giveClean);
                endedTotal++;
            } else {
                known.addLast(first);
            }
        }
        return slabs;
    }
}
