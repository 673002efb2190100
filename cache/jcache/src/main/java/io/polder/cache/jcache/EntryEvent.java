package io.polder.cache.jcache;

import org.jspecify.annotations.Nullable;

import javax.cache.Cache;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.EventType;

/**
 * What happened to an entry. Of an entry that is no more, value and old value are the one that it
 * had.
 */
final class EntryEvent<K, V> extends CacheEntryEvent<K, V> {
    private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial") // serializable if keys and values are
    private final K key;

    @SuppressWarnings("serial")
    private final V value;

    @SuppressWarnings("serial")
    private final @Nullable V oldValue;

    EntryEvent(Cache<K, V> source, EventType type, K key, V value, @Nullable V oldValue) {
        super(source, type);
        this.key = key;
        this.value = value;
        this.oldValue = oldValue;
    }

    @Override
    public K getKey() {
        return key;
    }

    @Override
    public V getValue() {
        return value;
    }

    @Override
    public @Nullable V getOldValue() {
        return oldValue;
    }

    @Override
    public boolean isOldValueAvailable() {
        return oldValue != null;
    }

    @Override
    public <T> T unwrap(Class<T> clazz) {
        return Unwrap.as(this, clazz);
    }
}
