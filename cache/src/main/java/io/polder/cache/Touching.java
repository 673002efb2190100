package io.polder.cache;

/**
 * Changes when entries expire that are there.
 *
 * <pre>{@code
 *                       later than before          earlier
 *   a read              without a lock             a copy in its place
 *   setExpiresIn:
 *     reads change it   with the monitor           a copy in its place
 *     they do not       with the monitor           with the monitor
 * }</pre>
 *
 * <p>A read changes the deadline that it has found, and gives way to who has changed that since.
 * {@code setExpiresIn} changes the one that is there, as long as the value is the one that it has
 * found: reads may change deadlines again and again, and it would never get its turn.
 *
 * <p>Deadlines change by compare-and-set, so that another value keeps its own. A copy, since {@link
 * Recycled} relies on it that the deadline of an object never falls where reads change it; it is
 * made as a put makes an entry. Large entries are not written again, and so are changed where they
 * are.
 *
 * <p>Thread-safe.
 */
final class Touching {
    private final Store store;

    Touching(Store store) {
        this.store = store;
    }

    /**
     * Has the entry that was read, of a cache where reads change that, expire at another time,
     * unless others have changed it.
     */
    void touch(Scratch found, long deadline) {
        boolean _ =
                needsCopy(found, deadline)
                        ? replaceByCopy(found, deadline, true)
                        : store.entries.changeDeadline(found.handle, found.deadline, deadline);
    }

    /**
     * Has the entry that was found expire at another time, unless it is another one by now, or has
     * expired; returns whether it was done. If not, the caller looks for it again.
     */
    boolean setDeadline(Scratch found, long deadline) {
        if (mustCopy(found, deadline)) {
            return replaceByCopy(found, deadline, false);
        }
        synchronized (store.index.monitor(found.hash)) {
            return isThereLocked(found)
                    && !mustCopy(found, deadline) // reads may have had it expire later
                    && store.entries.changeDeadline(found.handle, found.deadline, deadline);
        }
    }

    private boolean mustCopy(Scratch found, long deadline) {
        return store.entries.changeWithReads && needsCopy(found, deadline);
    }

    private static boolean needsCopy(Scratch found, long deadline) {
        return deadline < found.deadline && found.isCopied;
    }

    /** Whether what was found is there still, with the deadline that it has now. */
    private boolean isThereLocked(Scratch found) {
        return store.lookup.findAgainLocked(found)
                && found.isUnchanged
                && !store.isExpired(found.deadline);
    }

    /**
     * The same by another object; if there is no memory for that, the entry is evicted.
     *
     * @param isRead whether it stays as it is if others have changed the deadline
     */
    private boolean replaceByCopy(Scratch found, long deadline, boolean isRead) {
        long was = found.deadline;
        long old = found.handle;
        long copy = tryCopy(found, deadline);
        if (copy == Store.NONE) {
            boolean _ = store.eviction.evict(found.hash, old);
            return false;
        }
        found.isPut = false;
        try {
            synchronized (store.index.monitor(found.hash)) {
                if (isThereLocked(found) && !(isRead && found.deadline != was)) {
                    found.isPut = true;
                    store.index.replaceLocked(found, copy);
                }
            }
        } finally {
            if (!found.isPut) {
                store.entries.heap.free(copy);
            }
        }
        if (found.isPut) {
            store.entries.heap.free(old);
        }
        return found.isPut;
    }

    /** Returns {@link Store#NONE} without memory, as where the pool is closed: a read is no put. */
    private long tryCopy(Scratch found, long deadline) {
        try {
            return store.create(found, store.entries.copy(found, deadline));
        } catch (IllegalStateException thrown) {
            if (!store.lines.isPoolClosed()) {
                throw thrown;
            }
            return Store.NONE;
        }
    }
}
