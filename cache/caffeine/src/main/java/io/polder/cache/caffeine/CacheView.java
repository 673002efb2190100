package io.polder.cache.caffeine;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Policy;
import com.github.benmanes.caffeine.cache.stats.CacheStats;

import io.polder.cache.OffHeapCache;

import org.jspecify.annotations.Nullable;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/** An off-heap cache as one of Caffeine; {@link OffHeapCaffeine} says what differs. Thread-safe. */
class CacheView<K, V> implements Cache<K, V> {
    final OffHeapCache<K, V> cache;

    CacheView(OffHeapCache<K, V> cache) {
        this.cache = cache.evictingLarge();
    }

    @Override
    public @Nullable V getIfPresent(K key) {
        return cache.getIfPresent(key);
    }

    @Override
    @SuppressWarnings("NullAway") // null if the function returns null, as its type may allow
    public V get(K key, Function<? super K, ? extends V> function) {
        return cache.get(key, function);
    }

    @Override
    public Map<K, V> getAllPresent(Iterable<? extends K> keys) {
        return Collections.unmodifiableMap(cache.getAllPresent(keys));
    }

    @Override
    public Map<K, V> getAll(
            Iterable<? extends K> keys,
            Function<? super Set<? extends K>, ? extends Map<? extends K, ? extends V>> function) {
        return Collections.unmodifiableMap(cache.getAll(keys, function));
    }

    @Override
    public void put(K key, V value) {
        cache.put(key, value);
    }

    @Override
    public void putAll(Map<? extends K, ? extends V> entries) {
        cache.putAll(entries);
    }

    @Override
    public void invalidate(K key) {
        cache.invalidate(key);
    }

    @Override
    public void invalidateAll(Iterable<? extends K> keys) {
        keys.forEach(this::invalidate);
    }

    @Override
    public void invalidateAll() {
        cache.invalidateAll();
    }

    @Override
    public long estimatedSize() {
        return cache.size();
    }

    @Override
    public CacheStats stats() {
        io.polder.cache.CacheStats stats = cache.stats();
        return CacheStats.of(
                stats.hits(),
                stats.misses(),
                stats.loads(),
                stats.loadFailures(),
                stats.loadNanos(),
                stats.evictions() + stats.refusedPuts(),
                stats.evictedBytes());
    }

    @Override
    public ConcurrentMap<K, V> asMap() {
        return cache.asMap();
    }

    @Override
    public void cleanUp() {
        cache.cleanUp();
    }

    @Override
    public Policy<K, V> policy() {
        return new PolicyView<>(cache, Map::of, _ -> {});
    }
}
