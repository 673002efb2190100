package io.polder.cache.jcache;

import org.junit.jupiter.api.AfterEach;

import java.net.URI;

import javax.cache.Cache;
import javax.cache.CacheManager;
import javax.cache.configuration.CompleteConfiguration;
import javax.cache.spi.CachingProvider;

/** A cache manager of a provider of its own for each test. */
abstract class JCacheFixture {
    final CachingProvider provider = new PolderCachingProvider();

    @AfterEach
    void closeProvider() {
        provider.close();
    }

    CacheManager manager(String query) {
        return provider.getCacheManager(URI.create("polder://test" + query), null);
    }

    <K, V> Cache<K, V> cache(CompleteConfiguration<K, V> configuration) {
        return manager("").createCache("cache", configuration);
    }

    static <K, V> PolderConfiguration<K, V> types(Class<K> keys, Class<V> values) {
        return new PolderConfiguration<K, V>().setTypes(keys, values);
    }
}
