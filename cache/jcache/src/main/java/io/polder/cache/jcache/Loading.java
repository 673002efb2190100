package io.polder.cache.jcache;

import org.jspecify.annotations.Nullable;

import java.util.Map;

import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheLoaderException;

/**
 * The loader of a cache. What it throws is wrapped. Thread-safe, if the loader is.
 *
 * @param loader null if there is none
 * @param isReadThrough whether it is asked for what is missing
 */
record Loading<K, V>(@Nullable CacheLoader<K, V> loader, boolean isReadThrough) {
    /** The value of a key that has none; null if there is none to load. */
    @Nullable V readThrough(K key) {
        CacheLoader<K, V> used = loader;
        if (used == null || !isReadThrough) {
            return null;
        }
        try {
            return used.load(key);
        } catch (CacheLoaderException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new CacheLoaderException("the loader of a cache has thrown", e);
        }
    }

    /** Those of keys. It may lack some, or have null for them. */
    Map<K, V> loadAll(Iterable<? extends K> keys) {
        CacheLoader<K, V> used = loader;
        if (used == null) {
            return Map.of();
        }
        try {
            return used.loadAll(keys);
        } catch (CacheLoaderException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new CacheLoaderException("the loader of a cache has thrown", e);
        }
    }
}
