package io.polder.cache.jcache;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.cache.Cache;
import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.event.CacheEntryListenerException;
import javax.cache.event.EventType;

/**
 * The listeners of a cache. Each gets the events of a key in their order: who tells them holds the
 * lock of the key, except for entries that expired, which the cache finds at any time.
 *
 * <p>Thread-safe.
 */
final class Listeners<K, V> {
    private final CopyOnWriteArrayList<Registration<K, V>> registrations =
            new CopyOnWriteArrayList<>();

    private volatile boolean isClosed;

    boolean isEmpty() {
        return registrations.isEmpty();
    }

    void add(CacheEntryListenerConfiguration<K, V> configuration) {
        registrations.add(new Registration<>(configuration));
        if (isClosed) { // meanwhile, by somebody who may not have seen this one
            close();
        }
    }

    void remove(CacheEntryListenerConfiguration<K, V> configuration) {
        for (Registration<K, V> each : registrations) {
            if (each.isOf(configuration)) {
                registrations.remove(each);
                each.close();
            }
        }
    }

    void close() {
        isClosed = true;
        List<Registration<K, V>> all = List.copyOf(registrations);
        registrations.clear();
        Attempts.forEach(all, Registration::close);
    }

    /**
     * Tells all whom it concerns.
     *
     * @param value for an entry that is no more, the one that it had
     * @throws CacheEntryListenerException if a synchronous listener or a filter throws; the others
     *     were told
     */
    void tell(Cache<K, V> source, EventType type, K key, V value, @Nullable V oldValue) {
        if (registrations.isEmpty()) {
            return;
        }
        EntryEvent<K, V> event = new EntryEvent<>(source, type, key, value, oldValue);
        CacheEntryListenerException failure = null;
        for (Registration<K, V> each : registrations) {
            try {
                each.tell(event);
            } catch (Throwable thrown) {
                CacheEntryListenerException wrapped =
                        thrown instanceof CacheEntryListenerException known
                                ? known
                                : new CacheEntryListenerException(
                                        "a listener of a cache has thrown", thrown);
                if (failure == null) {
                    failure = wrapped;
                } else {
                    failure.addSuppressed(wrapped);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
