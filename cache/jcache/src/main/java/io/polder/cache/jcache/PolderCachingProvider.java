package io.polder.cache.jcache;

import org.jspecify.annotations.Nullable;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.WeakHashMap;

import javax.cache.CacheManager;
import javax.cache.configuration.OptionalFeature;
import javax.cache.spi.CachingProvider;

/**
 * JCache's entry to Polder: {@code Caching.getCachingProvider()} finds it where it is on the class
 * path or module path. Caches store by value only.
 *
 * <p>Properties say what holds for those caches that say nothing themselves: {@code
 * polder.jcache.maximumBytes}, {@code polder.jcache.maximumEntries} and {@code
 * polder.jcache.serialFilter}, which {@link PolderConfiguration} explains. They are properties of
 * the cache manager; or are in the query of its URI, {@code polder://name?maximumBytes=268435456};
 * or are properties of the JVM, for programs that make a manager without either.
 *
 * <p>Thread-safe.
 */
@SuppressWarnings("exports") // of an annotation that is there at compile time only
public final class PolderCachingProvider implements CachingProvider {
    private static final URI DEFAULT_URI = URI.create("polder://default");

    /** Guarded by itself. */
    private final Map<ClassLoader, Map<URI, PolderCacheManager>> managers = new WeakHashMap<>();

    /** Called by {@link java.util.ServiceLoader}. */
    public PolderCachingProvider() {}

    /**
     * @throws javax.cache.CacheException if a property of Polder's, or a part of the query, cannot
     *     be understood
     */
    @Override
    public CacheManager getCacheManager(
            @Nullable URI uri, @Nullable ClassLoader classLoader, @Nullable Properties properties) {
        URI wanted = uri == null ? DEFAULT_URI : uri;
        ClassLoader loader = classLoader == null ? getDefaultClassLoader() : classLoader;
        synchronized (managers) {
            Map<URI, PolderCacheManager> ofLoader =
                    managers.computeIfAbsent(loader, _ -> new HashMap<>());
            PolderCacheManager known = ofLoader.get(wanted);
            if (known != null && !known.isClosed()) {
                return known;
            }
            Properties given = new Properties();
            if (properties != null) {
                given.putAll(properties);
            }
            ManagerOptions options = ManagerOptions.of(wanted, given);
            PolderCacheManager made = new PolderCacheManager(this, wanted, loader, given, options);
            ofLoader.put(wanted, made);
            return made;
        }
    }

    @Override
    public ClassLoader getDefaultClassLoader() {
        return PolderCachingProvider.class.getClassLoader();
    }

    @Override
    public URI getDefaultURI() {
        return DEFAULT_URI;
    }

    @Override
    public Properties getDefaultProperties() {
        return new Properties();
    }

    @Override
    public CacheManager getCacheManager(@Nullable URI uri, @Nullable ClassLoader classLoader) {
        return getCacheManager(uri, classLoader, null);
    }

    @Override
    public CacheManager getCacheManager() {
        return getCacheManager(null, null, null);
    }

    @Override
    public void close() {
        List<PolderCacheManager> all = new ArrayList<>();
        synchronized (managers) {
            managers.values().forEach(each -> all.addAll(each.values()));
            managers.clear();
        }
        Attempts.forEach(all, PolderCacheManager::close);
    }

    @Override
    public void close(@Nullable ClassLoader classLoader) {
        ClassLoader loader = classLoader == null ? getDefaultClassLoader() : classLoader;
        List<PolderCacheManager> all;
        synchronized (managers) {
            Map<URI, PolderCacheManager> ofLoader = managers.remove(loader);
            all = ofLoader == null ? List.of() : List.copyOf(ofLoader.values());
        }
        Attempts.forEach(all, PolderCacheManager::close);
    }

    @Override
    public void close(@Nullable URI uri, @Nullable ClassLoader classLoader) {
        ClassLoader loader = classLoader == null ? getDefaultClassLoader() : classLoader;
        PolderCacheManager manager;
        synchronized (managers) {
            Map<URI, PolderCacheManager> ofLoader = managers.get(loader);
            manager = ofLoader == null ? null : ofLoader.remove(uri == null ? DEFAULT_URI : uri);
        }
        if (manager != null) {
            manager.close();
        }
    }

    /** Forgets a manager that was closed. */
    void forget(PolderCacheManager manager, ClassLoader loader) {
        synchronized (managers) {
            Map<URI, PolderCacheManager> ofLoader = managers.get(loader);
            if (ofLoader != null
                    && ofLoader.remove(manager.getURI(), manager)
                    && ofLoader.isEmpty()) {
                managers.remove(loader);
            }
        }
    }

    @Override
    public boolean isSupported(OptionalFeature optionalFeature) {
        return false; // entries are bytes: none is stored by reference
    }
}
