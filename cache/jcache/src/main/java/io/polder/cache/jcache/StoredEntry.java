package io.polder.cache.jcache;

import javax.cache.Cache;

/** An entry as it was when it was asked for. */
record StoredEntry<K, V>(K key, V value) implements Cache.Entry<K, V> {
    @Override
    public K getKey() {
        return key;
    }

    @Override
    public V getValue() {
        return value;
    }

    @Override
    public <T> T unwrap(Class<T> clazz) {
        return Unwrap.as(this, clazz);
    }
}
