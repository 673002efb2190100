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
 * <p>All by compare-and-set from the deadline that was found, so that another value keeps its own.
 * A copy, since {@link Recycled} relies on it that the deadline of an object never falls where
 * reads change it; it is made as a put makes an entry. Large entries are not written again, and so
 * are changed where they are.
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
                        ? replaceByCopy(found, deadline)
                        : store.entries.changeDeadline(found.handle, found.deadline, deadline);
    }

    /**
     * Has the entry that was found expire at another time, unless others have changed it; returns
     * whether it was done.
     */
    boolean setDeadline(Scratch found, long deadline) {
        if (store.entries.changeWithReads && needsCopy(found, deadline)) {
            return replaceByCopy(found, deadline);
        }
        long was = found.deadline;
        synchronized (store.index.monitor(found.hash)) {
            return isThereLocked(found, was)
                    && store.entries.changeDeadline(found.handle, was, deadline);
        }
    }

    private static boolean needsCopy(Scratch found, long deadline) {
        return deadline < found.deadline && found.isCopied;
    }

    /** Whether what was found is there still, as it was, and has not expired. */
    private boolean isThereLocked(Scratch found, long was) {
        return store.lookup.findAgainLocked(found)
                && found.isUnchanged
                && found.deadline == was
                && !store.isExpired(was);
    }

    /** The same by another object; if there is no memory for that, the entry is evicted. */
    private boolean replaceByCopy(Scratch found, long deadline) {
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
                if (isThereLocked(found, was)) {
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
