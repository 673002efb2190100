package io.polder.cache;

import io.polder.cache.Computations.Computation;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;

/**
 * What a cache does with one key that changes its value, in terms of {@link Store#exchange}.
 *
 * <pre>{@code
 *   operation         expects        puts          and again if
 *   put               any            the new one
 *   putIfAbsent       none           the new one   one was put, and removed
 *   replace, remove   the one read   another/none  another one is there
 * }</pre>
 *
 * <p>Where there is no memory for an entry, it is as if it had been evicted at once: the old one
 * goes, too, so that nobody reads it for the new one.
 *
 * <p>Thread-safe.
 */
final class Writes<K, V> {
    private final Store store;
    private final EntryCodec<K, V> codec;
    private final Deadlines<K, V> deadlines;
    private final Removed<K, V> removed;
    private final Recorder recorder;
    private final Turns<K, V> turns;
    private final Reads<K, V> reads;

    Writes(Turns<K, V> turns, Reads<K, V> reads, Removed<K, V> removed) {
        this.store = turns.store;
        this.codec = turns.codec;
        this.deadlines = turns.deadlines;
        this.recorder = turns.recorder;
        this.turns = turns;
        this.reads = reads;
        this.removed = removed;
    }

    /** Keeps a loaded value, unless it is too large. */
    void keep(K key, V value) {
        Scratch scratch = turns.begin(key);
        try {
            if (codec.isTooLarge(scratch, value)) {
                recorder.refusedPuts.increment();
                return;
            }
        } finally {
            turns.end(scratch);
        }
        V _ = put(key, value, null, false);
    }

    /**
     * Puts an entry whose bytes were written by a cache with the same codecs.
     *
     * @param lifetimeNanos how long it still lives; {@link CacheFile#NO_EXPIRY} for as long as one
     *     that is put now
     * @return whether it was kept
     */
    boolean putBytes(byte[] key, byte[] value, long lifetimeNanos) {
        turns.checkOpen();
        Scratch scratch = store.scratches.take();
        try {
            scratch.setKey(key);
            store.entries.setHash(scratch);
            if (codec.isTooLarge(scratch, value.length)) {
                return false; // the limit was another one when it was written
            }
            long handle = codec.create(scratch, value, deadline(key, value, lifetimeNanos));
            long was =
                    handle == Store.NONE
                            ? Store.NO_LINE
                            : exchange(scratch, Store.ANY, handle, null);
            if (was == Store.NO_LINE && handle != Store.NONE) {
                store.entries.heap.free(handle);
            } else if (was != Store.NO_LINE && was != Store.NONE) {
                store.retire(was, RemovalCause.REPLACED);
            }
            return was != Store.NO_LINE;
        } finally {
            turns.end(scratch);
            turns.settle();
        }
    }

    private long deadline(byte[] key, byte[] value, long lifetimeNanos) {
        if (lifetimeNanos != CacheFile.NO_EXPIRY) {
            return deadlines.afterNanos(lifetimeNanos);
        }
        if (deadlines.expiry() == null) {
            return deadlines.afterWrite();
        }
        EntryCodec.Pair<K, V> pair = codec.pair(key, value);
        return deadlines.afterWrite(pair.key(), pair.value(), null);
    }

    /** Puts a value; returns the one before if that is wanted and was there. */
    @Nullable V put(K key, V value, @Nullable Duration lifetime, boolean wantsOld) {
        Objects.requireNonNull(value, "value");
        Scratch scratch = turns.begin(key);
        try {
            long was = putAny(scratch, key, value, lifetime, null);
            return was == Store.NONE ? null : take(was, RemovalCause.REPLACED, wantsOld);
        } finally {
            turns.end(scratch);
            turns.settle();
        }
    }

    /** Whatever is there is replaced; returns it. */
    long putAny(
            Scratch scratch,
            K key,
            V value,
            @Nullable Duration lifetime,
            @Nullable Computation own) {
        long handle = codec.create(scratch, value, deadlines.afterWrite(key, value, lifetime));
        long was = exchange(scratch, Store.ANY, handle, own);
        if (handle == Store.NONE || was == Store.NO_LINE) {
            was = refused(scratch, key, value, handle, was, own);
        }
        return was;
    }

    /** There was no memory for an entry, or its line. */
    private long refused(
            Scratch scratch, K key, V value, long handle, long found, @Nullable Computation own) {
        long was = found;
        if (handle != Store.NONE) {
            store.entries.heap.free(handle);
            was = store.exchange(scratch, Store.ANY, Store.NONE, own);
        }
        recorder.refusedPuts.increment();
        removed.tell(key, value, RemovalCause.SIZE);
        return was;
    }

    /** With lines where they are needed; frees the new entry if this throws. */
    private long exchange(Scratch scratch, long expected, long handle, @Nullable Computation own) {
        boolean done = false;
        try {
            long was = store.exchange(scratch, expected, handle, own);
            while (was == Store.NO_LINE && store.prepare()) {
                was = store.exchange(scratch, expected, handle, own);
            }
            done = true;
            return was;
        } finally {
            if (!done && handle != Store.NONE) {
                store.entries.heap.free(handle);
            }
        }
    }

    /** Frees what was taken from the index; its value, if that is wanted. */
    private @Nullable V take(long handle, RemovalCause cause, boolean wanted) {
        try {
            return wanted ? codec.pair(handle).value() : null;
        } finally {
            store.retire(handle, cause);
        }
    }

    @Nullable V putIfAbsent(K key, V value, @Nullable Duration lifetime) {
        Objects.requireNonNull(value, "value");
        Scratch scratch = turns.begin(key);
        try {
            while (true) {
                V known = reads.find(key, scratch);
                if (known != null) {
                    return known;
                }
                long deadline = deadlines.afterWrite(key, value, lifetime);
                long handle = codec.create(scratch, value, deadline);
                if (handle == Store.NONE) {
                    recorder.refusedPuts.increment();
                    removed.tell(key, value, RemovalCause.SIZE);
                    return null;
                }
                long was = exchange(scratch, Store.NONE, handle, null);
                if (was == Store.NONE) {
                    return null;
                }
                store.entries.heap.free(handle);
                if (was == Store.NO_LINE) {
                    recorder.refusedPuts.increment();
                    removed.tell(key, value, RemovalCause.SIZE);
                    return null;
                }
            }
        } finally {
            turns.end(scratch);
            turns.settle();
        }
    }

    /** Removes the value of a key; returns it, null if there was none. */
    @Nullable V remove(K key) {
        Scratch scratch = turns.begin(key);
        try {
            long was = store.exchange(scratch, Store.ANY, Store.NONE, null);
            return was == Store.NONE ? null : take(was, RemovalCause.EXPLICIT, true);
        } finally {
            turns.end(scratch);
            turns.settle();
        }
    }

    /** Removes the value of a key without reading it; returns whether there was one. */
    boolean discard(K key) {
        Scratch scratch = turns.begin(key);
        try {
            long was = store.exchange(scratch, Store.ANY, Store.NONE, null);
            if (was != Store.NONE) {
                store.retire(was, RemovalCause.EXPLICIT);
            }
            return was != Store.NONE;
        } finally {
            turns.end(scratch);
            turns.settle();
        }
    }

    boolean remove(K key, Object value) {
        Scratch scratch = turns.begin(key);
        try {
            byte[] bytes = codec.bytes(value);
            while (true) {
                V known = reads.find(key, scratch);
                if (known == null || !reads.has(scratch, known, value, bytes)) {
                    return false;
                }
                long handle = scratch.handle;
                if (store.exchange(scratch, handle, Store.NONE, null) == handle) {
                    store.retire(handle, RemovalCause.EXPLICIT);
                    return true;
                }
            }
        } finally {
            turns.end(scratch);
            turns.settle();
        }
    }

    /**
     * Replaces the value of a key that has one.
     *
     * @param expected the value it must have; null for any
     * @return the one before; null if nothing was replaced
     */
    @Nullable V replace(K key, @Nullable V expected, V value) {
        Objects.requireNonNull(value, "value");
        Scratch scratch = turns.begin(key);
        try {
            byte[] bytes = expected == null ? null : codec.bytes(expected);
            while (true) {
                V known = reads.find(key, scratch);
                if (known == null
                        || (expected != null && !reads.has(scratch, known, expected, bytes))) {
                    return null;
                }
                long old = scratch.handle;
                long deadline = deadlines.afterWrite(key, value, null);
                long handle = codec.create(scratch, value, deadline);
                long was = exchange(scratch, old, handle, null);
                if (handle == Store.NONE && was == old) {
                    recorder.refusedPuts.increment();
                    removed.tell(key, value, RemovalCause.SIZE);
                }
                if (was == old) {
                    store.retire(old, RemovalCause.REPLACED);
                    return known;
                }
                if (handle != Store.NONE) {
                    store.entries.heap.free(handle);
                }
            }
        } finally {
            turns.end(scratch);
            turns.settle();
        }
    }
}
