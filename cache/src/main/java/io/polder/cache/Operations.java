package io.polder.cache;

import io.polder.cache.Computations.Computation;
import io.polder.heap.StaleHandleException;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * What a cache does with one key, in terms of {@link Store#find} and {@link Store#exchange}.
 *
 * <pre>{@code
 *   operation         expects        puts          and again if
 *   put               any            the new one
 *   putIfAbsent       none           the new one   one was put, and removed
 *   replace, remove   the one read   another/none  another one is there
 *   get with loader,  any, and writers wait: the function runs once
 *   compute, merge
 * }</pre>
 *
 * <p>Where there is no memory for an entry, it is as if it had been evicted at once: the old one
 * goes, too, so that nobody reads it for the new one.
 *
 * <p>Thread-safe.
 */
final class Operations<K, V> {
    private final Store store;
    private final EntryCodec<K, V> codec;
    private final Deadlines<K, V> deadlines;
    private final Removed<K, V> removed;
    private final Recorder recorder;
    private volatile boolean closed;

    Operations(
            Store store,
            EntryCodec<K, V> codec,
            Deadlines<K, V> deadlines,
            Removed<K, V> removed,
            Recorder recorder) {
        this.store = store;
        this.codec = codec;
        this.deadlines = deadlines;
        this.removed = removed;
        this.recorder = recorder;
    }

    void close() {
        closed = true;
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the cache is closed");
        }
    }

    boolean isExpired(MemorySegment entry) {
        return store.entries.layout.deadline(entry) <= deadlines.now();
    }

    /** Keeps a loaded value, unless it is too large. */
    void keep(K key, V value) {
        Scratch scratch = begin(key);
        try {
            if (codec.isTooLarge(scratch, value)) {
                recorder.refusedPuts.increment();
                return;
            }
        } finally {
            end(scratch);
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
        checkOpen();
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
            end(scratch);
            settle();
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

    private Scratch begin(K key) {
        Objects.requireNonNull(key, "key");
        checkOpen();
        Scratch scratch = store.scratches.take();
        boolean ready = false;
        try {
            codec.setKey(key, scratch);
            ready = true;
            return scratch;
        } finally {
            if (!ready) {
                end(scratch);
            }
        }
    }

    private void end(Scratch scratch) {
        store.scratches.give(scratch);
    }

    @Nullable V get(K key, boolean records) {
        Scratch scratch = begin(key);
        try {
            V value = find(key, scratch);
            if (records) {
                recorder.asked(value != null);
            }
            return value;
        } finally {
            end(scratch);
        }
    }

    /** The value of the key in hand, whose entry is in the scratch then; null if there is none. */
    private @Nullable V find(K key, Scratch scratch) {
        while (store.find(scratch)) {
            try {
                V value = codec.value(scratch);
                touch(key, value, scratch);
                return value;
            } catch (StaleHandleException _) {
                // Another value of the key is there, or none.
            }
        }
        return null;
    }

    private void touch(K key, V value, Scratch scratch) {
        store.index.hit(scratch);
        if (deadlines.changeWithReads()) {
            long handle = scratch.handle;
            long was = scratch.deadline;
            long deadline = deadlines.afterRead(key, value, was);
            if (deadline != was) {
                store.setDeadline(handle, deadline);
            }
        }
    }

    boolean contains(K key) {
        Scratch scratch = begin(key);
        try {
            return store.find(scratch);
        } finally {
            end(scratch);
        }
    }

    <R extends @Nullable Object> @Nullable R read(
            K key, Function<? super MemorySegment, ? extends R> reader) {
        Scratch scratch = begin(key);
        try {
            while (store.find(scratch)) {
                try {
                    R result = codec.read(scratch.handle, reader);
                    store.index.hit(scratch);
                    long deadline = deadlines.afterBytesRead(scratch.deadline);
                    if (deadline != scratch.deadline) {
                        store.setDeadline(scratch.handle, deadline);
                    }
                    recorder.asked(true);
                    return result;
                } catch (StaleHandleException _) {
                    // Another value of the key is there, or none.
                }
            }
            recorder.asked(false);
            return null;
        } finally {
            end(scratch);
        }
    }

    /** The value of a key, without having it count as asked for; null if it has none. */
    @Nullable V getQuietly(K key) {
        Scratch scratch = begin(key);
        try {
            while (store.find(scratch)) {
                try {
                    return codec.value(scratch);
                } catch (StaleHandleException _) {
                    // Another value of the key is there, or none.
                }
            }
            return null;
        } finally {
            end(scratch);
        }
    }

    /** What the entry of a key takes; -1 if there is none. */
    long footprint(K key) {
        Scratch scratch = begin(key);
        try {
            return store.find(scratch) ? Entries.footprint(scratch.entryBytes) : -1;
        } finally {
            end(scratch);
        }
    }

    /** Has the entry of a key expire after a time from now on; returns whether there is one. */
    boolean setLifetime(K key, Duration lifetime) {
        Scratch scratch = begin(key);
        try {
            long deadline = deadlines.afterNanos(Deadlines.nanos(lifetime));
            boolean found = store.find(scratch);
            if (found) {
                store.setDeadline(scratch.handle, deadline);
            }
            return found;
        } finally {
            end(scratch);
        }
    }

    /** How long the entry of a key still lives, in nanoseconds; -1 if there is none. */
    long lifetimeNanos(K key) {
        Scratch scratch = begin(key);
        try {
            return store.find(scratch) ? deadlines.left(scratch.deadline) : -1;
        } finally {
            end(scratch);
        }
    }

    /** Puts a value; returns the one before if that is wanted and was there. */
    @Nullable V put(K key, V value, @Nullable Duration lifetime, boolean wantsOld) {
        Objects.requireNonNull(value, "value");
        Scratch scratch = begin(key);
        try {
            long was = putAny(scratch, key, value, lifetime, null);
            return was == Store.NONE ? null : take(was, RemovalCause.REPLACED, wantsOld);
        } finally {
            end(scratch);
            settle();
        }
    }

    /** Whatever is there is replaced; returns it. */
    private long putAny(
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

    /** After a change, with nothing in hand. */
    private void settle() {
        store.resize();
        if (deadlines.isOn()) {
            store.sweep(1);
        }
    }

    @Nullable V putIfAbsent(K key, V value, @Nullable Duration lifetime) {
        Objects.requireNonNull(value, "value");
        Scratch scratch = begin(key);
        try {
            while (true) {
                V known = find(key, scratch);
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
            end(scratch);
            settle();
        }
    }

    /** Removes the value of a key; returns it, null if there was none. */
    @Nullable V remove(K key) {
        Scratch scratch = begin(key);
        try {
            long was = store.exchange(scratch, Store.ANY, Store.NONE, null);
            return was == Store.NONE ? null : take(was, RemovalCause.EXPLICIT, true);
        } finally {
            end(scratch);
            settle();
        }
    }

    /** Removes the value of a key without reading it; returns whether there was one. */
    boolean discard(K key) {
        Scratch scratch = begin(key);
        try {
            long was = store.exchange(scratch, Store.ANY, Store.NONE, null);
            if (was != Store.NONE) {
                store.retire(was, RemovalCause.EXPLICIT);
            }
            return was != Store.NONE;
        } finally {
            end(scratch);
            settle();
        }
    }

    boolean remove(K key, Object value) {
        Scratch scratch = begin(key);
        try {
            byte[] bytes = codec.bytes(value);
            while (true) {
                V known = find(key, scratch);
                if (known == null || !has(scratch, known, value, bytes)) {
                    return false;
                }
                long handle = scratch.handle;
                if (store.exchange(scratch, handle, Store.NONE, null) == handle) {
                    store.retire(handle, RemovalCause.EXPLICIT);
                    return true;
                }
            }
        } finally {
            end(scratch);
            settle();
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
        Scratch scratch = begin(key);
        try {
            byte[] bytes = expected == null ? null : codec.bytes(expected);
            while (true) {
                V known = find(key, scratch);
                if (known == null || (expected != null && !has(scratch, known, expected, bytes))) {
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
            end(scratch);
            settle();
        }
    }

    /** Whether the entry that was found has a value: an equal one, or one of the same bytes. */
    private boolean has(Scratch found, V known, Object value, byte @Nullable [] bytes) {
        return Objects.deepEquals(known, value) || (bytes != null && codec.has(found, bytes));
    }

    /** Whether a key has a value; that is no access. */
    boolean contains(K key, Object value) {
        Scratch scratch = begin(key);
        try {
            byte[] bytes = codec.bytes(value);
            while (store.find(scratch)) {
                try {
                    return has(scratch, codec.value(scratch), value, bytes);
                } catch (StaleHandleException _) {
                    // Another value of the key is there, or none.
                }
            }
            return false;
        } finally {
            end(scratch);
        }
    }

    /** Whether any key has a value. */
    boolean containsValue(Object value) {
        checkOpen();
        byte[] bytes = codec.bytes(value);
        Cursor cursor = new Cursor(store);
        for (List<byte[]> found = cursor.next(); found != null; found = cursor.next()) {
            for (byte[] content : found) {
                MemorySegment entry = MemorySegment.ofArray(content);
                if (!isExpired(entry)
                        && ((bytes != null && codec.has(entry, bytes))
                                || Objects.deepEquals(codec.pair(entry).value(), value))) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The value of a key, loaded if it has none; null if the loader has none either. */
    @Nullable V load(K key, Function<? super K, ? extends @Nullable V> loader) {
        Scratch scratch = begin(key);
        Computation own = null;
        try {
            own = store.begin(scratch);
            V known = find(key, scratch);
            if (known != null) {
                return known;
            }
            V loaded = timed(key, loader);
            if (loaded != null) {
                keepLoaded(scratch, key, loaded, own);
            }
            return loaded;
        } finally {
            if (own != null) {
                store.computations.end(own);
            }
            end(scratch);
            settle();
        }
    }

    private @Nullable V timed(K key, Function<? super K, ? extends @Nullable V> loader) {
        long begin = System.nanoTime();
        boolean success = false;
        try {
            V loaded = loader.apply(key);
            success = loaded != null;
            return loaded;
        } finally {
            recorder.loaded(success, System.nanoTime() - begin);
        }
    }

    private void keepLoaded(Scratch scratch, K key, V loaded, Computation own) {
        if (codec.isTooLarge(scratch, loaded)) {
            recorder.refusedPuts.increment();
            return;
        }
        long was = putAny(scratch, key, loaded, null, own);
        if (was != Store.NONE) {
            store.retire(was, RemovalCause.REPLACED);
        }
    }

    /** As {@link java.util.concurrent.ConcurrentHashMap#compute} does: the function runs once. */
    @Nullable V compute(
            K key,
            BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function,
            @Nullable Duration lifetime) {
        Scratch scratch = begin(key);
        Computation own = null;
        try {
            own = store.begin(scratch);
            V known = find(key, scratch);
            V computed = function.apply(key, known);
            if (computed != null) {
                long was = putAny(scratch, key, computed, lifetime, own);
                if (was != Store.NONE) {
                    store.retire(was, RemovalCause.REPLACED);
                }
            } else if (known != null) {
                long was = store.exchange(scratch, Store.ANY, Store.NONE, own);
                if (was != Store.NONE) {
                    store.retire(was, RemovalCause.EXPLICIT);
                }
            }
            return computed;
        } finally {
            if (own != null) {
                store.computations.end(own);
            }
            end(scratch);
            settle();
        }
    }
}
