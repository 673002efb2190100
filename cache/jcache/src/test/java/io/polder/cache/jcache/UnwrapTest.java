package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.cache.OffHeapCache;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;

import javax.cache.Cache;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.Duration;

/** The off-heap cache that a cache of JCache has, for what JCache has no word for. */
class UnwrapTest extends JCacheFixture {
    record Article(String name, long cents) {}

    @TempDir private Path folder;

    private <K, V> Cache<K, V> open(String name, Class<K> keys, Class<V> values, boolean expires) {
        PolderConfiguration<K, V> configuration = types(keys, values).setMaximumBytes(32 << 20);
        if (expires) {
            configuration.setExpiryPolicyFactory(CreatedExpiryPolicy.factoryOf(Duration.ONE_HOUR));
        }
        return manager("").createCache(name, configuration);
    }

    private static OffHeapCache<?, ?> entries(Cache<?, ?> cache) {
        return cache.unwrap(OffHeapCache.class);
    }

    @Test
    void offHeapCache_hasStatisticsAndLimits() {
        Cache<Long, Article> cache = open("a", Long.class, Article.class, false);
        cache.put(1L, new Article("tulip", 250));
        assertThat(cache.get(1L)).isNotNull();
        OffHeapCache<?, ?> entries = entries(cache);
        assertThat(entries.name()).isEqualTo("a");
        assertThat(entries.stats().hits()).isEqualTo(1);
        assertThat(entries.stats().entries()).isEqualTo(1);
        entries.policy().setMaximumBytes(16 << 20);
        cache.put(1L, new Article("x".repeat(3 << 20), 1));
        assertThat(entries.stats().refusedPuts()).isEqualTo(1);
        entries.cleanUp();
        assertThat(entries.size()).isZero();
        assertThatThrownBy(() -> cache.unwrap(String.class))
                .isInstanceOf(IllegalArgumentException.class);
        entries.close();
        assertThatThrownBy(() -> cache.get(1L)).isInstanceOf(IllegalStateException.class);
        cache.close();
        assertThat(cache.isClosed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void file_isReadByALaterCache(boolean expires) throws IOException {
        Path path = folder.resolve("file");
        Cache<Long, Article> cache = open("a", Long.class, Article.class, expires);
        for (long key = 0; key < 100; key++) {
            cache.put(key, new Article("tulip " + key, key));
        }
        assertThat(entries(cache).writeTo(path)).isEqualTo(100);
        cache.close();
        Cache<Long, Article> later = open("a", Long.class, Article.class, expires);
        assertThat(entries(later).readFrom(path)).isEqualTo(100);
        assertThat(later).hasSize(100);
        for (long key = 0; key < 100; key++) {
            assertThat(later.get(key)).isEqualTo(new Article("tulip " + key, key));
        }
        later.put(3L, new Article("rose", 1));
        assertThat(later.getAndRemove(3L)).isEqualTo(new Article("rose", 1));
        for (Cache<?, ?> other :
                new Cache<?, ?>[] {
                    open("b", Long.class, Article.class, !expires),
                    open("c", String.class, Article.class, expires),
                    open("d", Long.class, Object.class, expires)
                }) {
            assertThatThrownBy(() -> entries(other).readFrom(path))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("of other codecs");
            assertThat(other).isEmpty();
        }
    }

    /** Which classes may be read is known to the cache that has written them. */
    @Test
    void file_ofSerializedObjects_isReadByTheSameCacheAlone() throws IOException {
        Path path = folder.resolve("file");
        Cache<Long, Object> cache = open("a", Long.class, Object.class, false);
        cache.put(1L, Thread.State.NEW);
        assertThat(entries(cache).writeTo(path)).isEqualTo(1);
        cache.clear();
        assertThat(entries(cache).readFrom(path)).isEqualTo(1);
        assertThat(cache.get(1L)).isEqualTo(Thread.State.NEW);
        Cache<Long, Object> other = open("b", Long.class, Object.class, false);
        assertThatThrownBy(() -> entries(other).readFrom(path))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("of other codecs: file's=long serialized:");
    }
}
