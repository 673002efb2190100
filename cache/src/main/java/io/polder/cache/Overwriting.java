package io.polder.cache;

import io.polder.cache.Computations.Computation;
import io.polder.heap.StaleHandleException;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * Puts a value in the memory of the one before, if both entries have the same size: nothing is
 * allocated, freed or compacted for that, and the index stays as it is.
 *
 * <pre>{@code
 *   line of the index:   version 6   --->  7  ------------>  8
 *   entry:               old bytes         old, new, mixed   new bytes
 *   a reader:            6, copies ........................  is it 6 still? no: again
 * }</pre>
 *
 * <p>Large entries are lent where they are, and so are never overwritten. Nor are those whose
 * listener wants to see the old one, and those of which each has an {@link Expiry} of its own. With
 * {@code expireAfterAccess}, a reader gives an entry the next deadline only if it has the one still
 * that was read with the value.
 *
 * <p>Writing takes the monitor of the key's bucket, and with it held the gate of the heap; while
 * that is compacted it may copy the object first, and take a page for that. No code of users and no
 * shrinker of theirs is called meanwhile.
 *
 * <p>Failure. An error leaves the old bytes or the new ones.
 *
 * <p>Thread-safe.
 */
final class Overwriting {
    private final Store store;

    Overwriting(Store store) {
        this.store = store;
    }

    /** Whether values of a cache may be overwritten. */
    static boolean isAllowed(Removed<?, ?> removed, Deadlines<?, ?> deadlines) {
        return !removed.isToldOf(RemovalCause.REPLACED) && deadlines.expiry() == null;
    }

    /**
     * Overwrites the entry that was found, if it is there still.
     *
     * @param expected {@link Store#ANY}, or the entry that was found if its value must be that
     *     which was found, too
     * @param content the new entry
     * @param own the computation that ends with this
     * @return whether it was done
     */
    boolean put(Scratch found, long expected, MemorySegment content, @Nullable Computation own) {
        long bytes = content.byteSize();
        if (!store.entries.overwrites
                || found.handle == Store.NONE
                || expected == Store.NONE
                || found.entryBytes != bytes
                || bytes > Scratch.ENTRY_BYTES) {
            return false;
        }
        Index index = store.index;
        synchronized (index.monitor(found.hash)) {
            return store.computations.findLocked(found, own) == null
                    && store.lookup.isInLaneLocked(found)
                    && overwriteLocked(found, expected, content);
        }
    }

    private boolean overwriteLocked(Scratch found, long expected, MemorySegment content) {
        try {
            boolean isExpired = store.entries.layout.expires() && store.isExpired(found.handle);
            boolean isMeant = expected == Store.ANY || store.lookup.isUnchangedLocked(found);
            if (isExpired || !isMeant) {
                return false; // what has expired leaves first
            }
            store.index.overwriteLocked(found, content);
        } catch (StaleHandleException _) {
            return false; // left by an error
        }
        store.index.hit(found);
        return true;
    }
}
