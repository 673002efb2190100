package io.polder.cache;

/**
 * Changes when entries expire that are there.
 *
 * <pre>{@code
 *   a read:        later than before      compare-and-set, without a lock
 *                  earlier                a copy in its place
 *   setExpiresIn:  reads change it, too   a copy in its place
 *                  they do not            in the entry, with the monitor
 * }</pre>
 *
 * <p>A copy, since {@link Recycled} relies on it that the deadline of an object never falls where
 * reads change it. Large entries are not written again, and so are changed where they are.
 *
 * <p>Thread-safe.
 */
final class Touching {
    private final Store store;

    Touching(Store store) {
        this.store = store;
    }

    /** Has the entry that was read expire at another time, unless others have changed that. */
    void touch(Scratch found, long deadline) {
        boolean _ =
                deadline < found.deadline
                        ? setDeadline(found, deadline)
                        : store.entries.changeDeadline(found.handle, found.deadline, deadline);
    }

    /**
     * Has the entry that was found expire at another time, unless others have changed that; returns
     * whether it was done.
     */
    boolean setDeadline(Scratch found, long deadline) {
        if (store.entries.changeWithReads && found.isCopied) {
            return replaceByCopy(found, deadline);
        }
        synchronized (store.index.monitor(found.hash)) {
            return store.lookup.findAgainLocked(found)
                    && found.deadline > store.now()
                    && store.entries.changeDeadline(found.handle, found.deadline, deadline);
        }
    }

    /** The same by another object; if there is no memory for that, the entry is evicted. */
    private boolean replaceByCopy(Scratch found, long deadline) {
        long was = found.deadline;
        long old = found.handle;
        long copy = store.entries.copy(found, deadline);
        if (copy == Store.NONE) {
            long bucket = LinearHashing.bucket(found.hash, store.index.buckets());
            long _ = store.evict(bucket, old, RemovalCause.SIZE);
            return false;
        }
        found.isPut = false;
        try {
            synchronized (store.index.monitor(found.hash)) {
                boolean isThere = store.lookup.findAgainLocked(found) && found.isUnchanged;
                if (isThere && found.deadline == was && was > store.now()) {
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
}
