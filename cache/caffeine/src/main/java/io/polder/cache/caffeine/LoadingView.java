package io.polder.cache.caffeine;

import com.github.benmanes.caffeine.cache.CacheLoader;
import com.github.benmanes.caffeine.cache.LoadingCache;
import com.github.benmanes.caffeine.cache.Policy;
import com.github.benmanes.caffeine.cache.stats.CacheStats;

import io.polder.cache.OffHeapCache;

import org.jspecify.annotations.Nullable;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentMap;

/** An off-heap cache as one of Caffeine that loads what is missing. Thread-safe. */
final class LoadingView<K, V> extends CacheView<K, V> implements LoadingCache<K, V> {
    private final CacheLoader<? super K, V> loader;
    private final boolean loadsMany;
    private final Refreshes<K, V> refreshes;
    private final ConcurrentMap<K, V> map;

    LoadingView(OffHeapCache<K, V> cache, CacheLoader<? super K, V> loader) {
        super(cache);
        this.loader = loader;
        this.loadsMany = loadsMany(loader);
        this.refreshes = new Refreshes<>(this.cache, loader);
        this.map = new RefreshedMap<>(this.cache.asMap(), refreshes);
    }

    /** Whether a loader has a {@code loadAll} of its own; the one of Caffeine throws. */
    private static boolean loadsMany(CacheLoader<?, ?> loader) {
        try {
            return !loader.getClass()
                    .getMethod("loadAll", Set.class)
                    .getDeclaringClass()
                    .equals(CacheLoader.class);
        } catch (NoSuchMethodException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** A call of the loader, which may throw anything. */
    private interface Loading<R> {
        R call() throws Exception;
    }

    private static <R> R unchecked(Loading<R> loading) {
        try {
            return loading.call();
        } catch (RuntimeException unchecked) {
            throw unchecked;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new CompletionException(interrupted);
        } catch (Exception checked) {
            throw new CompletionException(checked);
        }
    }

    @Override
    public V get(K key) {
        return get(key, each -> unchecked(() -> loader.load(each)));
    }

    @Override
    public Map<K, V> getAll(Iterable<? extends K> keys) {
        if (loadsMany) {
            return getAll(keys, missing -> unchecked(() -> loadAll(missing)));
        }
        Set<K> asked = new LinkedHashSet<>();
        keys.forEach(asked::add);
        Map<K, V> found = new LinkedHashMap<>();
        for (K key : asked) {
            putIfThere(found, key, get(key));
        }
        return Collections.unmodifiableMap(found);
    }

    @SuppressWarnings("unchecked") // keys of K, as the loader gets them, are what it returns
    private Map<? extends K, ? extends V> loadAll(Set<? extends K> missing) throws Exception {
        return (Map<? extends K, ? extends V>) ((CacheLoader<K, V>) loader).loadAll(missing);
    }

    private static <K, V> void putIfThere(Map<K, V> found, K key, @Nullable V value) {
        if (value != null) {
            found.put(key, value);
        }
    }

    @Override
    public CompletableFuture<V> refresh(K key) {
        return refreshes.refresh(key);
    }

    @Override
    public CompletableFuture<Map<K, V>> refreshAll(Iterable<? extends K> keys) {
        Map<K, CompletableFuture<V>> begun = new LinkedHashMap<>();
        for (K key : keys) {
            begun.computeIfAbsent(key, this::refresh);
        }
        return CompletableFuture.allOf(begun.values().toArray(CompletableFuture<?>[]::new))
                .thenApply(
                        _ -> {
                            Map<K, V> values = new LinkedHashMap<>();
                            begun.forEach((key, value) -> putIfThere(values, key, value.join()));
                            return Collections.unmodifiableMap(values);
                        });
    }

    @Override
    public void put(K key, V value) {
        super.put(key, value);
        refreshes.forget(key);
    }

    @Override
    public void putAll(Map<? extends K, ? extends V> entries) {
        entries.forEach(this::put);
    }

    @Override
    public void invalidate(K key) {
        refreshes.forget(key);
        super.invalidate(key);
    }

    @Override
    public void invalidateAll() {
        refreshes.forgetAll();
        super.invalidateAll();
    }

    @Override
    public ConcurrentMap<K, V> asMap() {
        return map;
    }

    @Override
    public CacheStats stats() {
        return super.stats().plus(refreshes.stats());
    }

    @Override
    public Policy<K, V> policy() {
        return new PolicyView<>(cache, refreshes::running, refreshes::forget);
    }
}
