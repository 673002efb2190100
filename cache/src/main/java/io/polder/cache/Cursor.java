package io.polder.cache;

import io.polder.heap.StaleHandleException;

import java.util.ArrayList;
import java.util.List;

/**
 * Goes through the entries of a store while others change it.
 *
 * <pre>{@code
 *   buckets when it began:   0   1   2 ... b ... n-1
 *   now:     b has been split: entries of b are in b and b + n     all of these are read together,
 *            b has been merged: they are in b - level, with others   and those of b taken
 * }</pre>
 *
 * <p>An entry that is there from the beginning to the end is met once, whatever moves meanwhile;
 * one that comes or goes is met once or not. Entries are copied with the monitor of their bucket
 * held, which those have in common that it was split into.
 *
 * <p>For one thread.
 */
final class Cursor {
    private final Store store;
    private final long buckets;
    private long next;

    Cursor(Store store) {
        this.store = store;
        this.buckets = store.index.buckets();
    }

    /** The bytes of the entries of the next bucket, which may be none; null at the end. */
    @SuppressWarnings("NullAway") // an answer, not an element
    List<byte[]> next() {
        if (next == buckets) {
            return null;
        }
        List<byte[]> found = new ArrayList<>(BucketLayout.LANES);
        Scratch scratch = store.scratches.take();
        try {
            synchronized (store.index.monitor(next)) {
                long now = store.index.buckets();
                if (now < buckets) {
                    gatherLocked(LinearHashing.bucket(next, now), true, found, scratch);
                } else {
                    gatherFamilyLocked(next, now, found, scratch);
                }
            }
        } finally {
            store.scratches.give(scratch);
        }
        next++;
        return found;
    }

    /** Of a bucket and what was split off from it since the cursor began. */
    private void gatherFamilyLocked(long bucket, long now, List<byte[]> found, Scratch scratch) {
        gatherLocked(bucket, false, found, scratch);
        long level = bucket == 0 ? 1 : 2 * Long.highestOneBit(bucket);
        for (; bucket + level < now; level *= 2) {
            if (bucket + level >= buckets) {
                gatherFamilyLocked(bucket + level, now, found, scratch);
            }
        }
    }

    private void gatherLocked(long bucket, boolean mixed, List<byte[]> found, Scratch scratch) {
        for (long handle : store.index.handlesLocked(bucket)) {
            try {
                boolean isOurs =
                        !mixed
                                || LinearHashing.bucket(
                                                store.entries.hash(handle, scratch), buckets)
                                        == next;
                if (isOurs) {
                    found.add(store.entries.heap.toArray(handle));
                }
            } catch (StaleHandleException _) {
                // Left by an error.
            }
        }
    }
}
