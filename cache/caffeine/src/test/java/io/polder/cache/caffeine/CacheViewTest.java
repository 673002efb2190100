package io.polder.cache.caffeine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.LoadingCache;
import com.github.benmanes.caffeine.cache.stats.CacheStats;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;

/** What holds for a cache of Caffeine holds for ours: each test runs with both. */
@NullUnmarked // nulls are among what is tested
class CacheViewTest extends ContenderFixture {
    @ParameterizedTest
    @EnumSource
    void readsAndWrites_areThoseOfOneCache(Contender contender) {
        Cache<Long, String> cache = open(contender);
        assertThat(cache.getIfPresent(1L)).isNull();
        cache.put(1L, "one");
        cache.putAll(Map.of(2L, "two", 3L, "three"));
        assertThat(cache.getIfPresent(1L)).isEqualTo("one");
        assertThat(cache.get(1L, _ -> "other")).isEqualTo("one");
        assertThat(cache.get(4L, key -> "loaded " + key)).isEqualTo("loaded 4");
        assertThat(cache.get(5L, _ -> null)).isNull();
        assertThat(cache.asMap())
                .isEqualTo(Map.of(1L, "one", 2L, "two", 3L, "three", 4L, "loaded 4"));
        assertThat(cache.estimatedSize()).isEqualTo(4);
        cache.invalidate(1L);
        cache.invalidateAll(List.of(2L, 9L));
        assertThat(cache.asMap()).containsOnlyKeys(3L, 4L);
        cache.asMap().put(7L, "seven");
        assertThat(cache.getIfPresent(7L)).isEqualTo("seven");
        cache.invalidateAll();
        cache.cleanUp();
        assertThat(cache.asMap()).isEmpty();
        assertThat(cache.estimatedSize()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void manyKeys_areReadAndLoadedAtOnce(Contender contender) {
        Cache<Long, String> cache = open(contender);
        cache.put(1L, "one");
        cache.put(2L, "two");
        Map<Long, String> present = cache.getAllPresent(List.of(1L, 2L, 1L, 3L));
        assertThat(present).isEqualTo(Map.of(1L, "one", 2L, "two"));
        assertThatThrownBy(() -> present.put(3L, "three"))
                .isInstanceOf(UnsupportedOperationException.class);
        Map<Long, String> all =
                cache.getAll(
                        List.of(2L, 3L, 4L),
                        missing -> {
                            assertThat(Set.<Long>copyOf(missing)).isEqualTo(Set.of(3L, 4L));
                            return Map.of(3L, "three", 8L, "not asked for");
                        });
        assertThat(all).isEqualTo(Map.of(2L, "two", 3L, "three"));
        assertThat(cache.asMap()).containsOnlyKeys(1L, 2L, 3L, 8L);
    }

    @ParameterizedTest
    @EnumSource
    @SuppressWarnings("NullArgumentForNonNullParameter") // what is tested
    void null_isRefused(Contender contender) {
        LoadingCache<Long, String> cache = open(contender, key -> "v" + key);
        List<ThrowingCallable> wrong =
                List.of(
                        () -> cache.getIfPresent(null),
                        () -> cache.get(null),
                        () -> cache.get(null, _ -> "value"),
                        () -> cache.get(1L, null),
                        () -> cache.put(null, "value"),
                        () -> cache.put(1L, null),
                        () -> cache.invalidate(null),
                        () -> cache.asMap().remove(null, null),
                        () -> cache.getAllPresent(Arrays.asList(1L, null)),
                        () -> cache.refresh(null),
                        () -> cache.refreshAll(Arrays.asList(1L, null)));
        for (int i = 0; i < wrong.size(); i++) {
            assertThatThrownBy(wrong.get(i)).as("" + i).isInstanceOf(NullPointerException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void stats_countHitsMissesAndLoads(Contender contender) {
        Cache<Long, String> cache = open(contender);
        cache.put(1L, "one");
        assertThat(cache.getIfPresent(1L)).isNotNull();
        assertThat(cache.getIfPresent(2L)).isNull();
        assertThat(cache.get(2L, _ -> "two")).isEqualTo("two");
        assertThat(cache.get(1L, _ -> "other")).isEqualTo("one");
        assertThat(cache.get(3L, _ -> null)).isNull();
        assertThat(cache.getAllPresent(List.of(1L, 2L, 9L))).hasSize(2);
        assertThat(cache.policy().getIfPresentQuietly(1L)).isEqualTo("one");
        assertThat(cache.policy().isRecordingStats()).isTrue();
        CacheStats stats = cache.stats();
        assertThat(stats.hitCount()).isEqualTo(4);
        assertThat(stats.missCount()).isEqualTo(4);
        assertThat(stats.loadSuccessCount()).isEqualTo(1);
        assertThat(stats.loadFailureCount()).isEqualTo(1);
        assertThat(stats.totalLoadTime()).isGreaterThan(0);
        assertThat(stats.evictionCount()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void stats_ofManyKeys_countEachKeyOnce_andFailuresAsSuch(Contender contender) {
        Cache<Long, String> cache = open(contender);
        cache.put(1L, "one");
        assertThat(cache.getAllPresent(List.of(1L, 1L, 2L, 2L))).hasSize(1);
        assertThat(cache.stats().hitCount()).isEqualTo(1);
        assertThat(cache.stats().missCount()).isEqualTo(1);
        assertThatThrownBy(() -> cache.getAllPresent(Arrays.asList(3L, null)))
                .isInstanceOf(NullPointerException.class);
        assertThat(cache.stats().missCount()).isEqualTo(1);
        Map<Long, String> withNull = new HashMap<>();
        withNull.put(3L, null);
        assertThatThrownBy(() -> cache.getAll(List.of(3L), _ -> withNull))
                .isInstanceOf(NullPointerException.class);
        assertThat(cache.stats().loadSuccessCount()).isZero();
        assertThat(cache.stats().loadFailureCount()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void loader_isAskedForWhatIsMissing(Contender contender) {
        LoadingCache<Long, String> cache = open(contender, key -> key < 0 ? null : "loaded " + key);
        cache.put(1L, "one");
        assertThat(cache.get(1L)).isEqualTo("one");
        assertThat(cache.get(2L)).isEqualTo("loaded 2");
        assertThat(cache.get(-1L)).isNull();
        assertThat(cache.getAll(List.of(1L, 2L, 3L, -1L, 3L)))
                .isEqualTo(Map.of(1L, "one", 2L, "loaded 2", 3L, "loaded 3"));
        assertThat(cache.asMap()).containsOnlyKeys(1L, 2L, 3L);
        assertThat(cache.asMap().get(4L)).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void loaderOfMany_isAskedOnce(Contender contender) {
        BulkLoader loader = new BulkLoader();
        LoadingCache<Long, String> cache = open(contender, loader);
        cache.put(1L, "one");
        assertThat(cache.getAll(List.of(1L, 2L, 3L)))
                .isEqualTo(Map.of(1L, "one", 2L, "of many", 3L, "of many"));
        assertThat(loader.asked).containsExactly(Set.of(2L, 3L));
    }

    @ParameterizedTest
    @EnumSource
    void loaderThatThrows_changesNothing(Contender contender) {
        LoadingCache<Long, String> cache =
                open(
                        contender,
                        key -> {
                            if (key == 1) {
                                throw new IOException("gone");
                            }
                            throw new IllegalStateException("wrong");
                        });
        assertThatThrownBy(() -> cache.get(1L))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> cache.get(2L)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> cache.getAll(List.of(1L))).isInstanceOf(CompletionException.class);
        assertThat(cache.asMap()).isEmpty();
        assertThat(cache.stats().loadFailureCount()).isEqualTo(3);
    }
}
