package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentMap;

/** Values that are too large for an entry are refused, or as if they had been evicted at once. */
class EvictingLargeTest extends CacheFixture {
    private static final int KEYS = 6;
    private static final int STEPS = 4000;
    private static final String LARGE = "x".repeat(3 << 20);

    /** All that puts a value, which a caller or a function gives. */
    private enum Way {
        PUT,
        PUT_WITH_LIFETIME,
        PUT_ALL,
        PUT_IF_ABSENT_WITH_LIFETIME,
        COMPUTE_WITH_LIFETIME,
        MAP_PUT,
        MAP_PUT_IF_ABSENT,
        MAP_PUT_ALL,
        REPLACE,
        REPLACE_EXPECTED,
        COMPUTE,
        COMPUTE_IF_PRESENT,
        MERGE,
        SET_VALUE
    }

    /** Does it; returns what the cache, or a map of the JDK, has returned. */
    private static @Nullable Object put(
            Way way, OffHeapCache<Long, String> cache, Map<Long, String> map, long key, String to) {
        boolean isCache = map instanceof ConcurrentMap;
        Duration hour = Duration.ofHours(1);
        return switch (way) {
            case PUT, PUT_WITH_LIFETIME -> {
                if (!isCache) {
                    map.put(key, to);
                } else if (way == Way.PUT) {
                    cache.put(key, to);
                } else {
                    cache.put(key, to, hour);
                }
                yield null;
            }
            case PUT_ALL, MAP_PUT_ALL -> {
                if (isCache && way == Way.PUT_ALL) {
                    cache.putAll(Map.of(key, to));
                } else {
                    map.putAll(Map.of(key, to));
                }
                yield null;
            }
            case PUT_IF_ABSENT_WITH_LIFETIME ->
                    isCache ? cache.putIfAbsent(key, to, hour) : map.putIfAbsent(key, to);
            case COMPUTE_WITH_LIFETIME ->
                    isCache
                            ? cache.compute(key, (_, _) -> to, hour)
                            : map.compute(key, (_, _) -> to);
            case MAP_PUT -> map.put(key, to);
            case MAP_PUT_IF_ABSENT -> map.putIfAbsent(key, to);
            case REPLACE -> map.replace(key, to);
            case REPLACE_EXPECTED -> map.replace(key, "old", to);
            case COMPUTE -> map.compute(key, (_, _) -> to);
            case COMPUTE_IF_PRESENT -> map.computeIfPresent(key, (_, _) -> to);
            case MERGE -> map.merge(key, to, (_, _) -> to);
            case SET_VALUE -> {
                Map.Entry<Long, String> first =
                        map.entrySet().stream()
                                .filter(each -> each.getKey() == key)
                                .findAny()
                                .orElse(null);
                yield first == null ? null : first.setValue(to);
            }
        };
    }

    /** A map of the JDK from which each large value goes at once; returns how many went. */
    private static int evict(Map<Long, String> model) {
        int size = model.size();
        model.values().removeIf(LARGE::equals);
        return size - model.size();
    }

    @Test
    void values_ofAnySize_areAsInAMapFromWhichLargeOnesGoAtOnce() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        Map<RemovalCause, Integer> told = new EnumMap<>(RemovalCause.class);
        List<String> evicted = new ArrayList<>();
        try (OffHeapCache<Long, String> refusing =
                longs().maximumBytes(16 << 20)
                        .expireAfterWrite(Duration.ofDays(1))
                        .removalListener(
                                (_, value, cause) -> {
                                    told.merge(cause, 1, Integer::sum);
                                    if (cause == RemovalCause.SIZE) {
                                        evicted.add(value);
                                    }
                                })
                        .build()) {
            OffHeapCache<Long, String> evicting = refusing.evictingLarge();
            Map<Long, String> model = new TreeMap<>();
            Map<Way, Integer> refused = new EnumMap<>(Way.class);
            Map<Way, Integer> gone = new EnumMap<>(Way.class);
            int large = 0;
            for (int step = 0; step < STEPS; step++) {
                String as = "seed=" + seed + " step=" + step;
                Way way = Way.values()[random.nextInt(Way.values().length)];
                long key = random.nextInt(KEYS);
                boolean isLarge = random.nextInt(3) == 0;
                boolean refuses = random.nextInt(4) == 0;
                String to = isLarge ? LARGE : random.nextInt(3) == 0 ? "old" : "value " + step;
                Map<Long, String> next = new TreeMap<>(model);
                Object expected = put(way, refusing, next, key, to);
                int evictions = evict(next);
                OffHeapCache<Long, String> cache = refuses ? refusing : evicting;
                if (refuses && evictions > 0) {
                    assertThatThrownBy(() -> put(way, cache, cache.asMap(), key, to))
                            .as(as)
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContaining("an eighth of maximumBytes");
                    refused.merge(way, 1, Integer::sum);
                } else {
                    assertThat(put(way, cache, cache.asMap(), key, to)).as(as).isEqualTo(expected);
                    model = next;
                    large += evictions;
                    gone.merge(way, evictions, Integer::sum);
                }
                assertThat(cache.asMap()).as(as).isEqualTo(model);
                assertThat(cache.stats().refusedPuts()).as(as).isEqualTo(large);
            }
            CacheCheck.verify(refusing.store());
            assertThat(evicted).as("seed=%s", seed).hasSize(large).containsOnly(LARGE);
            assertThat(told).containsOnlyKeys(RemovalCause.SIZE, RemovalCause.REPLACED);
            for (Way way : Way.values()) {
                assertThat(refused.get(way)).as("seed=%s way=%s", seed, way).isPositive();
                assertThat(gone.get(way)).as("seed=%s way=%s", seed, way).isPositive();
            }
        }
    }

    @TempDir private Path folder;

    /** Nobody reads the old value for the one that was in the file. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readFrom_ofALargeValue_isAsIfItHadBeenEvictedAtOnce(boolean listens) throws IOException {
        Path path = folder.resolve("cache");
        try (OffHeapCache<Long, String> roomy = longs().build()) {
            roomy.put(1L, LARGE);
            roomy.put(2L, "two");
            roomy.put(3L, LARGE);
            assertThat(roomy.writeTo(path)).isEqualTo(3);
        }
        List<String> told = new ArrayList<>();
        OffHeapCacheBuilder<Long, String> builder = longs().maximumBytes(16 << 20);
        if (listens) {
            builder.removalListener(
                    (key, value, cause) -> told.add(key + " " + value.length() + " " + cause));
        }
        try (OffHeapCache<Long, String> cache = builder.build()) {
            cache.put(1L, "one");
            cache.put(4L, "four");
            assertThat(cache.readFrom(path)).isEqualTo(1);
            assertThat(cache.asMap()).isEqualTo(Map.of(2L, "two", 4L, "four"));
            assertThat(cache.stats().refusedPuts()).isEqualTo(2);
            if (listens) {
                assertThat(told)
                        .containsExactlyInAnyOrder(
                                "1 3 REPLACED",
                                "1 " + LARGE.length() + " SIZE",
                                "3 " + LARGE.length() + " SIZE");
            }
            CacheCheck.verify(cache.store());
        }
    }

    /** A put that has begun is as one before. */
    @Test
    void setMaximumBytes_leavesWhatIsThereThoughItWouldBeTooLargeNow() {
        try (OffHeapCache<Long, String> cache = longs().maximumBytes(64 << 20).build()) {
            cache.put(1L, LARGE);
            cache.policy().setMaximumBytes(16 << 20);
            assertThat(cache.getIfPresent(1L)).isEqualTo(LARGE);
            assertThatThrownBy(() -> cache.put(1L, LARGE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("most=" + (2 << 20));
            assertThat(cache.getIfPresent(1L)).isEqualTo(LARGE);
            assertThat(cache.stats().heldBytes()).isLessThanOrEqualTo(16 << 20);
        }
    }

    @Test
    void views_areOfOneCache() {
        OffHeapCache<Long, String> cache = longs().build();
        OffHeapCache<Long, String> view = cache.evictingLarge();
        view.put(1L, "one");
        assertThat(cache.getIfPresent(1L)).isEqualTo("one");
        assertThat(view.evictingLarge().getIfPresent(1L)).isEqualTo("one");
        view.policy().setMaximumBytes(32 << 20);
        assertThat(cache.stats().maximumBytes()).isEqualTo(32 << 20);
        assertThat(pool.report()).containsOnlyOnce("cache on heap");
        view.close();
        cache.close();
        assertThatThrownBy(() -> cache.getIfPresent(1L)).hasMessage("the cache is closed");
        assertThatThrownBy(() -> view.put(1L, LARGE)).hasMessage("the cache is closed");
        assertThat(pool.report()).doesNotContain("cache on heap");
    }
}
