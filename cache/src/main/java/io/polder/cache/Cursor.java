package io.polder.cache;

import io.polder.heap.StaleHandleException;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

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
 * one that comes or goes is met once or not. Entries are shown with the monitor of their bucket
 * held, which those have in common that it was split into.
 *
 * <p>Values of large entries are not copied: {@link EntryCodec#read(Met, Function)} reads them, one
 * at a time.
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

    /** Does something with an entry; the monitor of its bucket is held. */
    interface Visitor {
        void entryLocked(long bucket, long handle);
    }

    /** The entries of the next bucket, which may be none; null at the end. */
    @Nullable List<Met> next() {
        List<Met> found = new ArrayList<>(BucketLayout.LANES);
        return visitNext((_, handle) -> found.add(metLocked(handle))) ? found : null;
    }

    private Met metLocked(long handle) {
        Entries entries = store.entries;
        if (entries.heap.size(handle) <= Scratch.ENTRY_BYTES) {
            return Met.whole(entries.heap.toArray(handle));
        }
        return Met.front(
                entries.read(
                        handle,
                        entry -> entries.layout.front(entry).toArray(ValueLayout.JAVA_BYTE)),
                handle);
    }

    /** Shows the entries of the next bucket, if there is one; returns whether there was. */
    boolean visitNext(Visitor visitor) {
        if (next == buckets) {
            return false;
        }
        Scratch scratch = store.scratches.take();
        try {
            synchronized (store.index.monitor(next)) {
                long now = store.index.buckets();
                if (now < buckets) {
                    visitLocked(LinearHashing.bucket(next, now), true, visitor, scratch);
                } else {
                    visitFamilyLocked(next, now, visitor, scratch);
                }
            }
        } finally {
            store.scratches.give(scratch);
        }
        next++;
        return true;
    }

    /** Those of a bucket and of what was split off from it since the cursor began. */
    private void visitFamilyLocked(long bucket, long now, Visitor visitor, Scratch scratch) {
        visitLocked(bucket, false, visitor, scratch);
        long level = bucket == 0 ? 1 : 2 * Long.highestOneBit(bucket);
        for (; bucket + level < now; level *= 2) {
            if (bucket + level >= buckets) {
                visitFamilyLocked(bucket + level, now, visitor, scratch);
            }
        }
    }

    private void visitLocked(long bucket, boolean mixed, Visitor visitor, Scratch scratch) {
        for (long handle : store.index.handlesLocked(bucket)) {
            try {
                boolean isOurs =
                        !mixed
                                || LinearHashing.bucket(
                                                store.entries.hash(handle, scratch), buckets)
                                        == next;
                if (isOurs) {
                    visitor.entryLocked(bucket, handle);
                }
            } catch (StaleHandleException _) {
                // Left by an error.
            }
        }
    }
}
