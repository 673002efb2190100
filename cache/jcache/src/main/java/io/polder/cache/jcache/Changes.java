package io.polder.cache.jcache;

import io.polder.cache.OffHeapCache;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import javax.cache.Cache;
import javax.cache.event.EventType;

/**
 * Entries of a cache, and how they change: what {@link Change} says is done by a {@code compute} of
 * the cache, so that there is one change of a key at a time, and a function of the program that
 * decides runs once.
 *
 * <pre>{@code
 *   lock of the key, if there are listeners or a writer
 *     compute of the cache
 *       decision; expiry policy; writer
 *     listeners
 * }</pre>
 *
 * <p>An entry may expire while a function looks at it. If the function changes it, listeners are
 * told of that alone: it was there for as long as the function ran. So what the cache says of a key
 * that is being changed is held back until the change has ended.
 *
 * <p>The keys of the cache are those of the program if no entry expires, and {@link EntryKey}s
 * otherwise.
 *
 * <p>Failure: if the writer or the expiry policy throws, the entry stays as it was. If a value
 * cannot be stored that the writer has written, the entry is removed, so that nobody reads the one
 * before. A value that is too large, or for which there is no memory, is as if it had been stored
 * and evicted at once, of which nobody is told.
 *
 * <p>Thread-safe.
 */
final class Changes<K, V> {
    private final OffHeapCache<Object, V> entries;
    private final Lifetimes<V> lifetimes;
    private final Writing<K, V> writing;
    private final Listeners<K, V> listeners;
    private final Cache<K, V> source;
    private final KeyLocks locks = new KeyLocks();

    /** What is done right now with keys whose locks are held. */
    private final ConcurrentMap<Object, Change<K, V>> running = new ConcurrentHashMap<>();

    /** Ends a {@code compute} that changes nothing: the value need not be stored again. */
    private static final class Unchanged extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private Unchanged() {
            super("nothing changes", null, false, false);
        }
    }

    Changes(
            OffHeapCache<Object, V> entries,
            Lifetimes<V> lifetimes,
            Writing<K, V> writing,
            Listeners<K, V> listeners,
            Cache<K, V> source) {
        this.entries = entries;
        this.lifetimes = lifetimes;
        this.writing = writing;
        this.listeners = listeners;
        this.source = source;
    }

    /** A key as the cache knows it. */
    Object stored(K key, boolean isAccess) {
        return lifetimes.isEternal() ? key : new EntryKey<>(key, isAccess);
    }

    /** The key of an entry of the cache. */
    @SuppressWarnings("unchecked") // what stored has made of a key
    K key(Object stored) {
        return lifetimes.isEternal() ? (K) stored : ((EntryKey<K>) stored).key();
    }

    /** The bytes of a key: two keys are equal if these are. */
    ByteBuffer bytes(K key) {
        return ByteBuffer.wrap(entries.policy().keyBytes(stored(key, false)));
    }

    /** The value of a key, which is an access; null if there is none. */
    @Nullable V get(K key) {
        return entries.getIfPresent(stored(key, lifetimes.mindsAccess()));
    }

    boolean contains(K key) {
        return entries.asMap().containsKey(stored(key, false));
    }

    KeyLocks locks() {
        return locks;
    }

    /** Whether others must be told of changes. */
    boolean isWatched() {
        return writing.isOn() || !listeners.isEmpty();
    }

    /**
     * Puts a value that nobody else must be told of, if the old one does not matter.
     *
     * @return whether that was so
     */
    boolean putPlainly(K key, V value) {
        if (isWatched()) {
            return false;
        }
        if (lifetimes.isEternal()) {
            entries.put(key, value);
            return true;
        }
        Duration lifetime = lifetimes.mindsCreation() ? null : lifetimes.update();
        if (lifetime == null || lifetime.isZero()) {
            return false;
        }
        EntryKey<K> stored = new EntryKey<>(key, false);
        stored.setLifetime(lifetime);
        entries.put(stored, value);
        return true;
    }

    /**
     * Removes a value that nobody else must be told of, without reading it; only if {@link
     * #isWatched} is false.
     *
     * @return whether there was one
     */
    boolean removePlainly(K key) {
        return entries.asMap().keySet().remove(stored(key, false));
    }

    /** Decides and does it; returns what was done. */
    Change<K, V> change(K key, Change.Decision<K, V> decision) {
        Change<K, V> change = new Change<>(key);
        if (!isWatched()) {
            changeLocked(change, decision);
            return change;
        }
        locks.with(
                key,
                () ->
                        Attempts.all(
                                () -> changeWatched(change, decision),
                                () -> tellExpired(change),
                                () -> tell(change)));
        return change;
    }

    private void changeWatched(Change<K, V> change, Change.Decision<K, V> decision) {
        Object id = id(change.key());
        Change<K, V> outer = running.get(id);
        boolean isInner = outer != null && !outer.isOver; // then it is refused
        try {
            if (!isInner) {
                running.put(id, change);
            }
            changeLocked(change, decision);
        } finally {
            change.isOver = true; // in place: it needs no stack
            if (!isInner) {
                running.remove(id);
            }
        }
    }

    private static Object id(Object key) {
        return key instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : key;
    }

    /** Is told by the cache, by whichever thread, of an entry that has expired and is gone. */
    void expired(Object stored, V value) {
        K key = key(stored);
        Change<K, V> change = running.get(id(key));
        if (change == null || !change.holdExpired(value)) {
            locks.whenFree(() -> tellExpired(key, value));
        }
    }

    private void tellExpired(K key, V value) {
        listeners.tell(source, EventType.EXPIRED, key, value, value);
    }

    private void tellExpired(Change<K, V> change) {
        Attempts.forEach(change.endExpired(), value -> tellExpired(change.key(), value));
    }

    private void changeLocked(Change<K, V> change, Change.Decision<K, V> decision) {
        K key = change.key();
        Object stored = stored(key, false);
        boolean done = false;
        try {
            V _ =
                    entries.asMap()
                            .compute(
                                    stored,
                                    (_, old) -> {
                                        change.setOld(old);
                                        decision.decide(change);
                                        return next(change, stored);
                                    });
            change.setDone();
            done = true;
        } catch (Unchanged _) {
            done = true;
        } finally {
            if (!done && change.isPut() && writing.isOn()) {
                entries.invalidate(stored);
            }
        }
    }

    /** The value that the entry has next; null if it goes. */
    private @Nullable V next(Change<K, V> change, Object stored) {
        return switch (change.kind()) {
            case NONE -> throw new Unchanged();
            case ACCESS -> {
                V _ = lifetimes.mindsAccess() ? get(change.key()) : null;
                throw new Unchanged();
            }
            case PUT, STORE -> put(change, stored);
            case REMOVE -> {
                writing.delete(change.key());
                yield remove(change);
            }
            case DROP -> remove(change);
        };
    }

    private @Nullable V remove(Change<K, V> change) {
        if (change.old() == null) {
            throw new Unchanged();
        }
        change.setRemoved();
        return null;
    }

    private @Nullable V put(Change<K, V> change, Object stored) {
        boolean created = change.old() == null;
        Duration lifetime = lifetime(change, created);
        if (change.kind() == Change.Kind.PUT) {
            writing.write(change.key(), change.value());
        }
        if (lifetime.isZero()) {
            if (created) {
                throw new Unchanged();
            }
            return null;
        }
        if (stored instanceof EntryKey<?> key) {
            key.setLifetime(lifetime);
        }
        change.setPut();
        return change.value();
    }

    private Duration lifetime(Change<K, V> change, boolean created) {
        if (lifetimes.isEternal()) {
            return Lifetimes.FOREVER;
        }
        if (created) {
            return lifetimes.creation();
        }
        Duration updated = lifetimes.update();
        return updated == null ? left(change.key()).orElseGet(change::left) : updated;
    }

    private Optional<Duration> left(K key) {
        return entries.policy().expiresIn(stored(key, false));
    }

    /** Before a function runs that may take long: the entry may be evicted meanwhile. */
    void keepLeft(Change<K, V> change) {
        if (change.old() != null && !lifetimes.isEternal()) {
            left(change.key()).ifPresent(change::setLeft);
        }
    }

    private void tell(Change<K, V> change) {
        V old = change.old();
        if (!change.isDone()) {
            return;
        }
        if (change.isPut()) {
            EventType type = old == null ? EventType.CREATED : EventType.UPDATED;
            listeners.tell(source, type, change.key(), change.value(), old);
        } else if (old != null && change.isRemoved()) {
            listeners.tell(source, EventType.REMOVED, change.key(), old, old);
        } else if (old != null && change.hasValue()) {
            tellExpired(change.key(), change.value()); // it has expired as it was put
        }
    }
}
