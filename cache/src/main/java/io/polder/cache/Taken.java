package io.polder.cache;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Takes the entries of a bucket from the index, with its monitor held, and retires them without.
 *
 * <p>For one thread.
 */
final class Taken implements Cursor.Visitor {
    private final Store store;
    private final RemovalCause cause;
    private long[] handles = new long[BucketLayout.LANES];
    private final BitSet expired = new BitSet();
    private int count;

    /**
     * Nothing yet.
     *
     * @param cause of those that have not expired; {@link RemovalCause#EXPIRED} if these stay
     */
    Taken(Store store, RemovalCause cause) {
        this.store = store;
        this.cause = cause;
    }

    @Override
    public void entryLocked(long bucket, long handle) {
        boolean isExpired = store.hasExpired(handle);
        if (cause == RemovalCause.EXPIRED && !isExpired) {
            return;
        }
        if (count == handles.length) {
            handles = Arrays.copyOf(handles, 2 * count);
        }
        expired.set(count, isExpired); // what may need memory comes first
        int laneState = store.index.removeLocked(bucket, handle);
        boolean isSecond = store.index.isTorn() && isTaken(handle);
        if (laneState >= 0 && !isSecond && store.entries.heap.isLive(handle)) {
            store.counts.removed(store.entries.footprintOf(handle), laneState);
            handles[count++] = handle;
        }
    }

    private boolean isTaken(long handle) {
        return Arrays.stream(handles, 0, count).anyMatch(taken -> taken == handle);
    }

    /** Whatever is thrown, all are freed: nobody else knows them any more. */
    void retire() {
        int next = 0;
        try {
            while (next < count) {
                RemovalCause its = expired.get(next) ? RemovalCause.EXPIRED : cause;
                store.retire(handles[next++], its);
            }
        } finally {
            while (next < count) {
                store.entries.heap.free(handles[next++]);
            }
        }
    }
}
