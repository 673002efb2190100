package io.polder.cache.jcache;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.Objects;

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
        } catch (Exception e) {
            throw new CacheLoaderException("the loader of a cache has thrown", e);
        }
    }

    /** Those of keys, and perhaps more. It may lack some, or have null for them. */
    Map<K, V> loadAll(Iterable<? extends K> keys) {
        CacheLoader<K, V> used = loader;
        if (used == null) {
            return Map.of();
        }
        try {
            Map<K, V> loaded =
                    Objects.requireNonNull(used.loadAll(keys), "loadAll must return a map");
            loaded.keySet()
                    .forEach(key -> Objects.requireNonNull(key, "a loaded key must not be null"));
            return loaded;
        } catch (CacheLoaderException e) {
            throw e;
        } catch (Exception e) {
            throw new CacheLoaderException("the loader of a cache has thrown", e);
        }
    }
}
