package io.polder.cache;

import io.polder.cache.Computations.Computation;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;

/**
 * What a cache does with one key that changes its value, in terms of {@link Store#exchange}.
 *
 * <pre>{@code
 *   operation         expects        puts          and again if
 *   put               any            the new one
 *   putIfAbsent       none           the new one   one was put, and removed
 *   replace, remove   the one read   another/none  another one is there, or another value
 * }</pre>
 *
 * <p>An entry is made before that is known; one that is not put is freed.
 *
 * <p>Who wants the old value reads it before anything changes, since its codec may throw.
 *
 * <p>Where there is no memory for an entry, it is as if it had been evicted at once: the old one
 * goes, too, so that nobody reads it for the new one. So it is where an entry is too large, unless
 * that is refused with an exception.
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
    private final boolean refuses;

    /**
     * @param refuses whether a value that is too large for an entry is refused with an exception
     */
    Writes(Turns<K, V> turns, Reads<K, V> reads, Removed<K, V> removed, boolean refuses) {
        this.store = turns.store;
        this.codec = turns.codec;
        this.deadlines = turns.deadlines;
        this.recorder = turns.recorder;
        this.turns = turns;
        this.reads = reads;
        this.removed = removed;
        this.refuses = refuses;
    }

    /** Whether the value of an entry of these sizes is kept, or the listener is told of it. */
    boolean wantsBytes(int keyBytes, int valueBytes) {
        return !codec.isTooLarge(keyBytes, valueBytes) || removed.isToldOf(RemovalCause.SIZE);
    }

    /**
     * Puts an entry whose bytes were written by a cache with the same codecs. If it is too large,
     * it is as if it had been evicted at once.
     *
     * @param value null for one that {@link #wantsBytes} has not wanted
     * @param lifetimeNanos how long it still lives; {@link CacheFile#NO_EXPIRY} for as long as one
     *     that is put now
     * @return whether it was kept
     */
    boolean putBytes(byte[] key, @Nullable MemorySegment value, long lifetimeNanos) {
        turns.checkOpen();
        try {
            return turns.with(
                    store.scratches.take(),
                    scratch -> putBytes(scratch, key, value, lifetimeNanos));
        } finally {
            turns.settle();
        }
    }

    private boolean putBytes(
            Scratch scratch, byte[] key, @Nullable MemorySegment value, long lifetimeNanos) {
        scratch.setKey(key);
        store.entries.setHash(scratch);
        boolean _ = store.lookup.find(scratch);
        long handle =
                value == null || codec.isTooLarge(key.length, value.byteSize())
                        ? Store.NONE
                        : codec.create(scratch, value, deadline(key, value, lifetimeNanos));
        long was = exchange(scratch, Store.ANY, handle, null);
        boolean kept = handle != Store.NONE && was != Store.NO_LINE;
        if (!kept) {
            was = refused(scratch, handle, was, null);
        }
        retireReplaced(scratch, was);
        if (!kept && value != null) {
            removed.tellBytes(key, value, RemovalCause.SIZE);
        }
        return kept;
    }

    private long deadline(byte[] key, MemorySegment value, long lifetimeNanos) {
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
        Scratch scratch = turns.beginChange(key);
        try {
            while (wantsOld) {
                V known = reads.findQuietly(scratch);
                if (putIf(entry(scratch, known), scratch, key, value, lifetime)) {
                    return known;
                }
            }
            boolean _ = putAny(scratch, key, value, lifetime, null);
            return null;
        } catch (IllegalStateException thrown) {
            throw turns.told(thrown);
        } finally {
            turns.end(scratch);
            turns.settle();
        }
    }

    /** The entry whose value was found, or none. */
    private long entry(Scratch scratch, @Nullable V found) {
        return found == null ? Store.NONE : scratch.handle;
    }

    /** Whatever is there is replaced; returns whether the value was kept. */
    boolean putAny(
            Scratch scratch,
            K key,
            V value,
            @Nullable Duration lifetime,
            @Nullable Computation own) {
        boolean _ = store.lookup.find(scratch);
        long deadline = deadlines.afterWrite(key, value, lifetime);
        long handle = create(scratch, value, deadline);
        long was = exchange(scratch, Store.ANY, handle, own);
        boolean isRefused = handle == Store.NONE || was == Store.NO_LINE;
        retireReplaced(scratch, isRefused ? refused(scratch, handle, was, own) : was);
        if (isRefused) {
            removed.tell(key, value, RemovalCause.SIZE);
        }
        return !isRefused;
    }

    /**
     * Makes an entry, whose key and the one that it has are in the scratch.
     *
     * @return its handle; {@link Store#NONE} if there is no memory for it, or if it is too large
     * @throws IllegalArgumentException if it is too large, and this refuses that
     */
    private long create(Scratch scratch, V value, long deadline) {
        long valueBytes = codec.valueBytes(value);
        if (codec.isTooLarge(scratch.keyBytes, valueBytes)) {
            if (refuses) {
                throw codec.tooLarge(scratch.keyBytes, valueBytes);
            }
            return Store.NONE;
        }
        return codec.create(scratch, value, valueBytes, deadline);
    }

    /** Before the one in its place is told to have left, if that was not put. */
    private void retireReplaced(Scratch scratch, long old) {
        if (old != Store.NONE) {
            store.retireReplaced(old, Entries.footprint(scratch.entryBytes));
        }
    }

    /** There was no memory for an entry, or its line; returns what is the caller's to retire. */
    private long refused(Scratch scratch, long handle, long found, @Nullable Computation own) {
        recorder.refusedPuts.increment();
        if (handle == Store.NONE) {
            return found;
        }
        store.entries.heap.free(handle);
        return store.exchange(scratch, Store.ANY, Store.NONE, own);
    }

    /**
     * Puts a value if an entry is there still, which is retired then.
     *
     * @param old the entry; {@link Store#NONE} if there must be none
     * @return false if another one is there, or none
     */
    private boolean putIf(long old, Scratch scratch, K key, V value, @Nullable Duration lifetime) {
        long deadline = deadlines.afterWrite(key, value, lifetime);
        long handle = create(scratch, value, deadline);
        long was = exchange(scratch, old, handle, null);
        if (handle != Store.NONE && was != old) {
            store.entries.heap.free(handle);
        }
        boolean isRefused = was == Store.NO_LINE || (handle == Store.NONE && was == old);
        if (was == old) {
            retireReplaced(scratch, old);
        }
        if (isRefused) {
            recorder.refusedPuts.increment();
            removed.tell(key, value, RemovalCause.SIZE);
        }
        return isRefused || was == old;
    }

    /** With lines where they are needed; frees the new entry if this throws before it is put. */
    private long exchange(Scratch scratch, long expected, long handle, @Nullable Computation own) {
        boolean done = false;
        scratch.isPut = false;
        try {
            long was = store.exchange(scratch, expected, handle, own);
            while (was == Store.NO_LINE && store.prepare()) {
                was = store.exchange(scratch, expected, handle, own);
            }
            done = true;
            return was;
        } finally {
            if (!done && !scratch.isPut && handle != Store.NONE) {
                store.entries.heap.free(handle);
            }
        }
    }

    @Nullable V putIfAbsent(K key, V value, @Nullable Duration lifetime) {
        Objects.requireNonNull(value, "value");
        if (!store.computations.isEmpty()) { // who finds a value waits for none
            V there = reads.get(key, false);
            if (there != null) {
                return there;
            }
        }
        return turns.change(
                key,
                scratch -> {
                    V known;
                    do {
                        known = reads.find(key, scratch);
                    } while (known == null && !putIf(Store.NONE, scratch, key, value, lifetime));
                    return known;
                });
    }

    /** Removes the value of a key; returns it, null if there was none. */
    @Nullable V remove(K key) {
        return turns.change(
                key,
                scratch -> {
                    while (true) {
                        V known = reads.findQuietly(scratch);
                        long old = entry(scratch, known);
                        if (store.exchange(scratch, old, Store.NONE, null) == old) {
                            if (old != Store.NONE) {
                                store.retire(old, RemovalCause.EXPLICIT);
                            }
                            return known;
                        }
                    }
                });
    }

    /** Removes the value of a key without reading it; returns whether there was one. */
    boolean discard(K key) {
        return turns.change(key, scratch -> discard(scratch, null));
    }

    /**
     * The same of the key in hand.
     *
     * @param own the computation that ends with this
     */
    boolean discard(Scratch scratch, @Nullable Computation own) {
        long was = store.exchange(scratch, Store.ANY, Store.NONE, own);
        if (was != Store.NONE) {
            store.retire(was, RemovalCause.EXPLICIT);
        }
        return was != Store.NONE;
    }

    boolean remove(K key, Object value) {
        return turns.change(
                key,
                scratch -> {
                    try (Sought sought = codec.sought(value)) {
                        while (true) {
                            if (reads.findSame(scratch, value, sought) == null) {
                                return false;
                            }
                            long handle = scratch.handle;
                            if (store.exchange(scratch, handle, Store.NONE, null) == handle) {
                                store.retire(handle, RemovalCause.EXPLICIT);
                                return true;
                            }
                        }
                    }
                });
    }

    /**
     * Replaces the value of a key that has one.
     *
     * @param expected the value it must have; null for any
     * @return the one before; null if nothing was replaced
     */
    @Nullable V replace(K key, @Nullable V expected, V value) {
        Objects.requireNonNull(value, "value");
        return turns.change(
                key,
                scratch -> {
                    try (Sought sought = expected == null ? null : codec.sought(expected)) {
                        while (true) {
                            V known =
                                    sought == null
                                            ? reads.findQuietly(scratch)
                                            : reads.findSame(scratch, expected, sought);
                            if (known == null || putIf(scratch.handle, scratch, key, value, null)) {
                                return known;
                            }
                        }
                    }
                });
    }
}
