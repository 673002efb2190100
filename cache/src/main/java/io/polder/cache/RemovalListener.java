package io.polder.cache;

/**
 * Is told of entries that are no more in a cache, by the executor of the cache. What it throws is
 * logged. It is told neither of entries that are there when the cache is closed, nor of those that
 * are being removed just then.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
@FunctionalInterface
public interface RemovalListener<K, V> {
    /** An entry was removed; key and value were decoded for this call. */
    void onRemoval(K key, V value, RemovalCause cause);
}
