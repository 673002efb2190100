package io.polder.cache;

import io.polder.heap.StaleHandleException;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * What a cache does with one key that changes no value, in terms of {@link Store#find}. A value
 * that is replaced while it is read is looked for again.
 *
 * <p>Thread-safe.
 */
final class Reads<K, V> {
    private final Store store;
    private final EntryCodec<K, V> codec;
    private final Deadlines<K, V> deadlines;
    private final Recorder recorder;
    private final Turns<K, V> turns;

    Reads(Turns<K, V> turns) {
        this.store = turns.store;
        this.codec = turns.codec;
        this.deadlines = turns.deadlines;
        this.recorder = turns.recorder;
        this.turns = turns;
    }

    @Nullable V get(K key, boolean records) {
        Scratch scratch = turns.begin(key);
        try {
            V value = find(key, scratch);
            if (records) {
                recorder.asked(value != null);
            }
            return value;
        } catch (IllegalStateException thrown) {
            throw turns.told(thrown);
        } finally {
            turns.end(scratch);
        }
    }

    /** The value of the key in hand, whose entry is in the scratch then; null if there is none. */
    @Nullable V find(K key, Scratch scratch) {
        V value = findQuietly(scratch);
        if (value != null) {
            touch(key, value, scratch);
        }
        return value;
    }

    private void touch(K key, V value, Scratch scratch) {
        store.index.hit(scratch);
        if (deadlines.changeWithReads()) {
            store.touching.touch(scratch, deadlines.afterRead(key, value, scratch.deadline));
        }
    }

    /** A method reference would be an object for each question. */
    boolean contains(K key) {
        Scratch scratch = turns.begin(key);
        try {
            return store.find(scratch);
        } catch (IllegalStateException thrown) {
            throw turns.told(thrown);
        } finally {
            turns.end(scratch);
        }
    }

    /** Who reads a copy does so without a scratch, and may take as long as he likes. */
    <R extends @Nullable Object> @Nullable R read(
            K key, Function<? super MemorySegment, ? extends R> reader) {
        MemorySegment copy = null;
        Scratch scratch = turns.begin(key);
        try {
            while (copy == null) {
                if (!store.find(scratch)) {
                    recorder.asked(false);
                    return null;
                }
                if (scratch.isCopied) {
                    copy = codec.copyOfValue(scratch);
                    bytesRead(scratch);
                } else {
                    try {
                        R result = codec.read(scratch.handle, reader);
                        bytesRead(scratch);
                        return result;
                    } catch (StaleHandleException _) {
                        // Another value of the key is there, or none.
                    }
                }
            }
        } catch (IllegalStateException thrown) {
            throw turns.told(thrown);
        } finally {
            turns.end(scratch);
        }
        return codec.read(copy, reader);
    }

    private void bytesRead(Scratch found) {
        store.index.hit(found);
        if (deadlines.changeWithReads()) {
            store.touching.touch(found, deadlines.afterBytesRead(found.deadline));
        }
        recorder.asked(true);
    }

    /** The value of a key, without having it count as asked for; null if it has none. */
    @Nullable V getQuietly(K key) {
        return turns.with(turns.begin(key), this::findQuietly);
    }

    /** The same of the key in hand, whose entry is in the scratch then. */
    @Nullable V findQuietly(Scratch scratch) {
        while (store.find(scratch)) {
            try {
                return codec.value(scratch);
            } catch (StaleHandleException _) {
                // Another value of the key is there, or none.
            }
        }
        return null;
    }

    /** What the entry of a key takes; -1 if there is none. */
    long footprint(K key) {
        return turns.with(
                turns.begin(key),
                found -> store.find(found) ? Entries.footprint(found.entryBytes) : -1L);
    }

    /** Has the entry of a key expire after a time from now on; returns whether there is one. */
    boolean setLifetime(K key, Duration lifetime) {
        return turns.with(
                turns.begin(key),
                found -> {
                    long deadline = deadlines.afterNanos(Deadlines.nanos(lifetime));
                    while (store.find(found)) {
                        if (store.touching.setDeadline(found, deadline)) {
                            return true;
                        }
                    }
                    return false;
                });
    }

    /** How long the entry of a key still lives, in nanoseconds; -1 if there is none. */
    long lifetimeNanos(K key) {
        return turns.with(
                turns.begin(key),
                found -> store.find(found) ? deadlines.left(found.deadline) : -1L);
    }

    /**
     * The value of the key in hand, whose entry is in the scratch then, if it is equal to one that
     * somebody asks for, or has the same bytes; null otherwise.
     */
    @Nullable V findSame(Scratch found, @Nullable Object value, Sought sought) {
        while (true) {
            V known = findQuietly(found);
            if (known == null || Objects.deepEquals(known, value)) {
                return known;
            }
            try {
                return codec.has(found, sought) ? known : null;
            } catch (StaleHandleException _) {
                // Another value of the key is there, which may be this one, or none.
            }
        }
    }

    /** Whether a key has a value; that is no access. */
    boolean contains(K key, Object value) {
        return turns.with(
                turns.begin(key),
                found -> {
                    try (Sought sought = codec.sought(value)) {
                        return findSame(found, value, sought) != null;
                    }
                });
    }

    /** Whether any key has a value. */
    boolean containsValue(Object value) {
        return turns.run(
                () -> {
                    try (Sought sought = codec.sought(value)) {
                        return containsValue(value, sought);
                    }
                });
    }

    private boolean containsValue(Object value, Sought sought) {
        Cursor cursor = new Cursor(store);
        for (List<Met> found = cursor.next(); found != null; found = cursor.next()) {
            for (Met met : found) {
                if (!turns.isExpired(met)
                        && Boolean.TRUE.equals(
                                codec.read(met, entry -> has(entry, value, sought)))) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean has(MemorySegment entry, Object value, Sought sought) {
        return codec.has(entry, sought) || Objects.deepEquals(codec.pair(entry).value(), value);
    }
}
