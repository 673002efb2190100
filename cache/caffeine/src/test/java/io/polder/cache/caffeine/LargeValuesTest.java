package io.polder.cache.caffeine;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;

import io.polder.cache.OffHeapCacheBuilder;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;

/** A value that is too large for an entry leaves as one that is too heavy does by Caffeine. */
class LargeValuesTest extends ContenderFixture {
    private static final String LARGE = "x".repeat(3 << 20);

    /** What puts the large value as that of a key, and what it returns. */
    private static final Map<String, BiFunction<Cache<Long, String>, Long, @Nullable Object>> WAYS =
            new LinkedHashMap<>();

    static {
        WAYS.put(
                "put",
                (cache, key) -> {
                    cache.put(key, LARGE);
                    return null;
                });
        WAYS.put(
                "putAll",
                (cache, key) -> {
                    cache.putAll(Map.of(key, LARGE));
                    return null;
                });
        WAYS.put(
                "asMap().putAll",
                (cache, key) -> {
                    cache.asMap().putAll(Map.of(key, LARGE));
                    return null;
                });
        WAYS.put("asMap().put", (cache, key) -> cache.asMap().put(key, LARGE));
        WAYS.put("putIfAbsent", (cache, key) -> cache.asMap().putIfAbsent(key, LARGE));
        WAYS.put("replace", (cache, key) -> cache.asMap().replace(key, LARGE));
        WAYS.put("replace expected", (cache, key) -> cache.asMap().replace(key, "old", LARGE));
        WAYS.put("compute", (cache, key) -> cache.asMap().compute(key, (_, _) -> LARGE));
        WAYS.put(
                "computeIfPresent",
                (cache, key) -> cache.asMap().computeIfPresent(key, (_, _) -> LARGE));
        WAYS.put("computeIfAbsent", (cache, key) -> cache.asMap().computeIfAbsent(key, _ -> LARGE));
        WAYS.put("merge", (cache, key) -> cache.asMap().merge(key, LARGE, (_, _) -> LARGE));
        WAYS.put("get", (cache, key) -> cache.get(key, _ -> LARGE));
        WAYS.put("getAll", (cache, key) -> cache.getAll(List.of(key), _ -> Map.of(key, LARGE)));
    }

    private static String line(@Nullable Long key, @Nullable String value, Object cause) {
        return key + " " + (value == null ? "gone" : value.length()) + " " + cause;
    }

    private Cache<Long, String> open(Contender contender, List<String> told) {
        if (contender == Contender.CAFFEINE) {
            return Caffeine.newBuilder()
                    .maximumWeight(2 << 20)
                    .weigher((Long _, String value) -> value.length())
                    .executor(Runnable::run)
                    .recordStats()
                    .evictionListener(
                            (@Nullable Long key, @Nullable String value, RemovalCause cause) ->
                                    told.add(line(key, value, cause)))
                    .build();
        }
        OffHeapCacheBuilder<Long, String> builder =
                longs().maximumBytes(16 << 20)
                        .removalListener(
                                (key, value, cause) -> told.add(line(key, value, cause)),
                                Set.of(io.polder.cache.RemovalCause.SIZE));
        return OffHeapCaffeine.asCaffeine(closing(builder.build()));
    }

    @ParameterizedTest
    @EnumSource
    void valueThatIsTooLarge_leavesAtOnce(Contender contender) {
        List<String> told = new ArrayList<>();
        Cache<Long, String> cache = open(contender, told);
        List<String> expected = new ArrayList<>();
        for (Map.Entry<String, BiFunction<Cache<Long, String>, Long, @Nullable Object>> way :
                WAYS.entrySet()) {
            for (boolean isThere : new boolean[] {false, true}) {
                Map<Long, String> other = new LinkedHashMap<>();
                Cache<Long, String> unlimited = Caffeine.newBuilder().build();
                if (isThere) {
                    cache.put(7L, "old");
                    unlimited.put(7L, "old");
                }
                Object returned = way.getValue().apply(cache, 7L);
                assertThat(returned)
                        .as("%s there=%s", way.getKey(), isThere)
                        .isEqualTo(way.getValue().apply(unlimited, 7L));
                if (LARGE.equals(unlimited.getIfPresent(7L))) {
                    expected.add("7 " + LARGE.length() + " SIZE");
                } else {
                    other.putAll(unlimited.asMap());
                }
                cache.cleanUp();
                assertThat(cache.asMap()).as(way.getKey()).isEqualTo(other);
                cache.invalidateAll();
            }
        }
        assertThat(told).isEqualTo(expected).hasSizeGreaterThan(WAYS.size());
        assertThat(cache.stats().evictionCount()).isEqualTo(expected.size());
    }
}
