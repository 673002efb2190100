package io.polder.cache.jcache;

import org.jspecify.annotations.Nullable;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;

import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.configuration.CompleteConfiguration;
import javax.cache.configuration.Configuration;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.spi.CachingProvider;

/**
 * The caches of one URI and class loader.
 *
 * <p>Locking: the monitor of the map of caches is held while one comes into it, and while the
 * manager closes, so that none comes into that of a closed manager. No lock is held while one is
 * made, whose factories may wait for threads that use the manager: what others would make of its
 * name meanwhile is refused, and runs no factory.
 *
 * <p>Thread-safe.
 */
final class PolderCacheManager implements CacheManager {
    private final PolderCachingProvider provider;
    private final URI uri;
    private final ClassLoader loader;
    private final Properties properties;
    private final ManagerOptions options;
    private final Map<String, PolderCache<?, ?>> caches = new ConcurrentHashMap<>();

    /** Who makes a cache of a name. */
    private final Map<String, Thread> making = new ConcurrentHashMap<>();

    private volatile boolean closed;

    PolderCacheManager(
            PolderCachingProvider provider,
            URI uri,
            ClassLoader loader,
            Properties properties,
            ManagerOptions options) {
        this.provider = provider;
        this.uri = uri;
        this.loader = loader;
        this.properties = properties;
        this.options = options;
    }

    @Override
    public CachingProvider getCachingProvider() {
        return provider;
    }

    @Override
    public URI getURI() {
        return uri;
    }

    @Override
    public ClassLoader getClassLoader() {
        return loader;
    }

    @Override
    public Properties getProperties() {
        return properties;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the cache manager is closed: uri=" + uri);
        }
    }

    @Override
    public <K, V, C extends Configuration<K, V>> Cache<K, V> createCache(
            String cacheName, C configuration) {
        Objects.requireNonNull(cacheName, "cacheName");
        Objects.requireNonNull(configuration, "configuration");
        checkOpen();
        if (!configuration.isStoreByValue()) {
            throw new UnsupportedOperationException(
                    "entries are stored by value: storeByValue must be true");
        }
        CompleteConfiguration<K, V> complete =
                configuration instanceof CompleteConfiguration<K, V> given
                        ? given
                        : new MutableConfiguration<K, V>()
                                .setTypes(configuration.getKeyType(), configuration.getValueType());
        Thread own = Thread.currentThread();
        Thread other = making.putIfAbsent(cacheName, own);
        if (other != null && other != own) {
            throw existing(cacheName);
        }
        try {
            return make(cacheName, complete);
        } finally {
            if (other == null) { // otherwise a factory of this name makes another one
                making.remove(cacheName, own);
            }
        }
    }

    private <K, V> Cache<K, V> make(String name, CompleteConfiguration<K, V> configuration) {
        checkFree(name);
        PolderCache<K, V> cache =
                PolderCache.create(this, name, new PolderConfiguration<>(configuration, options));
        try {
            synchronized (caches) {
                checkFree(name); // a factory may have made another one, or closed the manager
                caches.put(name, cache);
            }
            cache.setManagementEnabled(configuration.isManagementEnabled());
            cache.setStatisticsEnabled(configuration.isStatisticsEnabled());
        } catch (RuntimeException | Error e) {
            Attempts.all(
                    () -> {
                        throw e;
                    },
                    cache::close);
        }
        return cache;
    }

    private void checkFree(String name) {
        checkOpen();
        if (caches.containsKey(name)) {
            throw existing(name);
        }
    }

    private static CacheException existing(String name) {
        return new CacheException("a cache of this name exists: name=" + name);
    }

    @Override
    @SuppressWarnings("unchecked") // the types are compared with those of the configuration
    public <K, V> @Nullable Cache<K, V> getCache(
            String cacheName, Class<K> keyType, Class<V> valueType) {
        Objects.requireNonNull(keyType, "keyType");
        Objects.requireNonNull(valueType, "valueType");
        PolderCache<?, ?> cache = cache(cacheName);
        if (cache == null) {
            return null;
        }
        Class<?> keys = cache.configuration().getKeyType();
        Class<?> values = cache.configuration().getValueType();
        if (!keys.equals(keyType) || !values.equals(valueType)) {
            throw new ClassCastException(
                    "the types must be those of the cache: name="
                            + cacheName
                            + ", types="
                            + keys.getName()
                            + " and "
                            + values.getName()
                            + ", asked for="
                            + keyType.getName()
                            + " and "
                            + valueType.getName());
        }
        return (Cache<K, V>) cache;
    }

    @Override
    @SuppressWarnings("unchecked") // the caller says which types the cache has
    public <K, V> @Nullable Cache<K, V> getCache(String cacheName) {
        return (Cache<K, V>) cache(cacheName);
    }

    private @Nullable PolderCache<?, ?> cache(String name) {
        Objects.requireNonNull(name, "cacheName");
        checkOpen();
        return caches.get(name);
    }

    @Override
    public Iterable<String> getCacheNames() {
        checkOpen();
        return List.copyOf(caches.keySet());
    }

    @Override
    public void destroyCache(String cacheName) {
        PolderCache<?, ?> cache = cache(cacheName);
        if (cache != null) {
            cache.close();
        }
    }

    /** Forgets a cache that closes. */
    void forget(PolderCache<?, ?> cache) {
        caches.remove(cache.getName(), cache);
    }

    @Override
    public void enableManagement(String cacheName, boolean enabled) {
        PolderCache<?, ?> cache = cache(cacheName);
        if (cache != null) {
            cache.setManagementEnabled(enabled);
        }
    }

    @Override
    public void enableStatistics(String cacheName, boolean enabled) {
        PolderCache<?, ?> cache = cache(cacheName);
        if (cache != null) {
            cache.setStatisticsEnabled(enabled);
        }
    }

    @Override
    public void close() {
        List<PolderCache<?, ?>> all;
        synchronized (caches) {
            if (closed) {
                return;
            }
            closed = true;
            all = List.copyOf(caches.values());
        }
        provider.forget(this, loader);
        Attempts.forEach(all, PolderCache::close);
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public <T> T unwrap(Class<T> clazz) {
        return Unwrap.as(this, clazz);
    }
}
