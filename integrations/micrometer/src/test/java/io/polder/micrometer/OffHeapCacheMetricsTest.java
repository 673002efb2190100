package io.polder.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.polder.MemoryPool;
import io.polder.cache.CacheStats;
import io.polder.cache.Codec;
import io.polder.cache.OffHeapCache;
import io.polder.cache.OffHeapCacheBuilder;

import org.junit.jupiter.api.Test;

/** The meters of a cache. */
class OffHeapCacheMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private static OffHeapCacheBuilder<Long, String> builder(MemoryPool pool) {
        return OffHeapCache.<Long, String>builder()
                .keyCodec(Codec.longs())
                .valueCodec(Codec.strings())
                .recordStats()
                .pool(pool);
    }

    private long gauge(String name, String... tags) {
        return Math.round(registry.get(name).tags(tags).tag("cache", "users").gauge().value());
    }

    private long count(String name, String... tags) {
        return Math.round(
                registry.get(name).tags(tags).tag("cache", "users").functionCounter().count());
    }

    @Test
    void meters_areThoseOfTheCache() {
        try (MemoryPool pool = MemoryPool.builder().name("cache-meters").build();
                OffHeapCache<Long, String> cache = builder(pool).maximumBytes(32 << 20).build()) {
            new OffHeapCacheMetrics(cache, "users").bindTo(registry);
            for (long key = 0; key < 1000; key++) {
                cache.put(key, "v" + key);
                assertThat(cache.getIfPresent(key)).isEqualTo("v" + key);
            }
            for (long key = 1000; key < 1100; key++) {
                assertThat(cache.getIfPresent(key)).isNull();
            }
            cache.policy().setMaximumEntries(600);
            CacheStats stats = cache.stats();
            assertThat(gauge("polder.cache.entries")).isEqualTo(cache.size()).isBetween(1L, 600L);
            assertThat(gauge("polder.cache.bytes", "kind", "entries"))
                    .isEqualTo(stats.entryBytes())
                    .isPositive();
            assertThat(gauge("polder.cache.bytes", "kind", "index"))
                    .isEqualTo(stats.indexBytes())
                    .isPositive();
            assertThat(gauge("polder.cache.bytes", "kind", "held")).isGreaterThan(1 << 20);
            assertThat(gauge("polder.cache.maximum")).isEqualTo(32 << 20);
            assertThat(count("polder.cache.gets", "result", "hit")).isEqualTo(1000);
            assertThat(count("polder.cache.gets", "result", "miss")).isEqualTo(100);
            assertThat(count("polder.cache.evictions")).isEqualTo(1000 - cache.size());
            cache.policy().setMaximumBytes(16 << 20);
            cache.evictingLarge().put(1L, "x".repeat(3 << 20));
            assertThat(count("polder.cache.refused.puts")).isEqualTo(1);
            assertThat(gauge("polder.cache.maximum")).isEqualTo(16 << 20);
        }
    }

    @Test
    void maximum_isAbsentWithoutOne_andAClosedCacheShowsItsLastCounts() {
        try (MemoryPool pool = MemoryPool.builder().name("cache-meters-2").build()) {
            OffHeapCache<Long, String> cache = builder(pool).build();
            new OffHeapCacheMetrics(cache, "users").bindTo(registry);
            assertThat(registry.find("polder.cache.maximum").meter()).isNull();
            cache.put(2L, "two");
            assertThat(cache.getIfPresent(1L)).isNull();
            cache.close();
            assertThat(count("polder.cache.gets", "result", "miss")).isEqualTo(1);
            assertThat(gauge("polder.cache.entries")).isEqualTo(1);
            assertThat(gauge("polder.cache.bytes", "kind", "entries")).isPositive();
            assertThat(gauge("polder.cache.bytes", "kind", "index")).isZero();
            assertThat(gauge("polder.cache.bytes", "kind", "held")).isZero();
            assertThat(cache.stats().misses()).isEqualTo(1); // and the cache is still in use
        }
    }

    @Test
    void bindTo_afterAClosedCacheOfTheName_showsTheOtherOnceItsMetersAreRemoved() {
        try (MemoryPool pool = MemoryPool.builder().name("cache-meters-4").build();
                OffHeapCache<Long, String> latter = builder(pool).name("users").build()) {
            OffHeapCache<Long, String> former = builder(pool).name("users").build();
            new OffHeapCacheMetrics(former).bindTo(registry);
            former.close();
            latter.put(1L, "one");
            new OffHeapCacheMetrics(latter).bindTo(registry);
            assertThat(gauge("polder.cache.entries")).isZero();
            assertThat(former.stats().entries()).isZero(); // and it is still in use
            registry.find("polder.cache.entries")
                    .tag("cache", "users")
                    .meters()
                    .forEach(registry::remove);
            new OffHeapCacheMetrics(latter).bindTo(registry);
            assertThat(gauge("polder.cache.entries")).isEqualTo(1);
        }
    }

    @Test
    void name_isThatOfTheCache_whichMustHaveOne() {
        try (MemoryPool pool = MemoryPool.builder().name("cache-meters-3").build();
                OffHeapCache<Long, String> cache = builder(pool).name("users").build();
                OffHeapCache<Long, String> nameless = builder(pool).build()) {
            new OffHeapCacheMetrics(cache).bindTo(registry);
            cache.put(1L, "one");
            assertThat(gauge("polder.cache.entries")).isEqualTo(1);
            assertThatThrownBy(() -> new OffHeapCacheMetrics(nameless))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a cache must be built with a name");
        }
    }
}
