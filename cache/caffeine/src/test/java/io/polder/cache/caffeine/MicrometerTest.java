package io.polder.cache.caffeine;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Cache;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.polder.cache.OffHeapCache;

import org.junit.jupiter.api.Test;

/** Micrometer's meters of Caffeine's caches, of an off-heap one. */
class MicrometerTest extends ContenderFixture {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private long count(String name, String... tags) {
        return Math.round(registry.get(name).tags(tags).functionCounter().count());
    }

    private long gauge(String name) {
        return Math.round(registry.get(name).gauge().value());
    }

    @Test
    void meters_showWhatTheCacheHasDone() {
        OffHeapCache<Long, String> cache = closing(longs().maximumEntries(100).build());
        Cache<Long, String> users = CaffeineSnippets.monitored(cache, registry);
        for (long key = 0; key < 50; key++) {
            assertThat(users.get(key, each -> "v" + each)).isEqualTo("v" + key);
        }
        for (long key = 0; key < 30; key++) {
            assertThat(users.getIfPresent(key)).isEqualTo("v" + key);
        }
        assertThat(count("cache.gets", "result", "hit", "cache", "users")).isEqualTo(30);
        assertThat(count("cache.gets", "result", "miss", "cache", "users")).isEqualTo(50);
        assertThat(count("cache.puts", "cache", "users")).isEqualTo(50);
        assertThat(count("cache.evictions", "cache", "users")).isZero();
        assertThat(gauge("cache.size")).isEqualTo(50);
        cache.policy().setMaximumEntries(20);
        assertThat(gauge("cache.size")).isEqualTo(cache.size()).isLessThanOrEqualTo(20);
        assertThat(count("cache.evictions", "cache", "users"))
                .isEqualTo(50 - cache.size())
                .isEqualTo(cache.stats().evictions());
        assertThat(users.estimatedSize()).isEqualTo(cache.size()); // and users is still in use
    }
}
