package io.polder.cache.caffeine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.benmanes.caffeine.cache.CacheLoader;
import com.github.benmanes.caffeine.cache.LoadingCache;
import com.github.benmanes.caffeine.cache.Policy.VarExpiration;

import io.polder.cache.Codec;
import io.polder.cache.OffHeapCache;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Values that are loaded again; each test runs with a cache of Caffeine, too. */
class RefreshTest extends ContenderFixture {
    /** Loads what the test gives, when the test gives it. */
    private static final class LaterLoader implements CacheLoader<Long, String> {
        CompletableFuture<@Nullable String> next = new CompletableFuture<>();

        @Override
        public String load(Long key) {
            return "loaded " + key;
        }

        @Override
        @SuppressWarnings({"NullAway", "unchecked"}) // a null value is what is tested
        public CompletableFuture<String> asyncReload(Long key, String old, Executor executor) {
            return (CompletableFuture<String>) (CompletableFuture<?>) next;
        }

        @Override
        @SuppressWarnings({"NullAway", "unchecked"}) // as above
        public CompletableFuture<String> asyncLoad(Long key, Executor executor) {
            return (CompletableFuture<String>) (CompletableFuture<?>) next;
        }
    }

    private final LaterLoader loader = new LaterLoader();

    @ParameterizedTest
    @EnumSource
    void refresh_newValue_takesThePlaceOfTheOld(Contender contender) {
        LoadingCache<Long, String> cache = open(contender, loader);
        cache.put(1L, "old");
        CompletableFuture<String> refreshed = cache.refresh(1L);
        assertThat(cache.refresh(1L)).isSameAs(refreshed);
        assertThat(cache.policy().refreshes()).containsOnlyKeys(1L);
        assertThat(cache.getIfPresent(1L)).isEqualTo("old");
        loader.next.complete("new");
        assertThat(refreshed.join()).isEqualTo("new");
        assertThat(cache.getIfPresent(1L)).isEqualTo("new");
        assertThat(cache.policy().refreshes()).isEmpty();
        assertThat(cache.stats().loadSuccessCount()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void refresh_ofAKeyWithoutValue_loads(Contender contender) {
        LoadingCache<Long, String> cache = open(contender, loader);
        CompletableFuture<String> refreshed = cache.refresh(1L);
        loader.next.complete("new");
        assertThat(refreshed.join()).isEqualTo("new");
        assertThat(cache.getIfPresent(1L)).isEqualTo("new");
    }

    @ParameterizedTest
    @EnumSource
    void refresh_withoutNewValue_removes(Contender contender) {
        LoadingCache<Long, String> cache = open(contender, loader);
        cache.put(1L, "old");
        CompletableFuture<String> refreshed = cache.refresh(1L);
        loader.next.complete(null);
        assertThat(refreshed.join()).isNull();
        assertThat(cache.asMap()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void refresh_thatFails_leavesTheOldValue(Contender contender) {
        LoadingCache<Long, String> cache = open(contender, loader);
        cache.put(1L, "old");
        CompletableFuture<String> refreshed = cache.refresh(1L);
        loader.next.completeExceptionally(new IllegalStateException("gone"));
        assertThatThrownBy(refreshed::join).hasRootCauseMessage("gone");
        assertThat(cache.getIfPresent(1L)).isEqualTo("old");
        assertThat(cache.policy().refreshes()).isEmpty();
        assertThat(cache.stats().loadFailureCount()).isEqualTo(1);
    }

    /** A failure that no logger can print. */
    private static final class Unprintable extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public void printStackTrace(PrintWriter to) {
            throw new NoClassDefFoundError("by the test");
        }
    }

    @ParameterizedTest
    @EnumSource
    void refresh_whoseFailureCannotBeLogged_failsForWhoWaits(Contender contender) {
        LoadingCache<Long, String> cache = open(contender, loader);
        cache.put(1L, "old");
        CompletableFuture<String> refreshed = cache.refresh(1L);
        loader.next.completeExceptionally(new Unprintable());
        assertThat(refreshed.isCompletedExceptionally()).isTrue();
    }

    /** It throws at once, and not by what it returns. */
    @Test
    void refresh_whoseLoaderThrowsWhatCannotBeLogged_failsForWhoWaits() {
        LoadingCache<Long, String> cache =
                open(
                        Contender.POLDER,
                        new CacheLoader<>() {
                            @Override
                            public String load(Long key) {
                                throw new AssertionError(key);
                            }

                            @Override
                            public CompletableFuture<String> asyncLoad(
                                    Long key, Executor executor) {
                                throw new Unprintable();
                            }
                        });
        assertThat(cache.refresh(1L).isCompletedExceptionally()).isTrue();
        assertThat(cache.policy().refreshes()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void refresh_valueThatWasPutMeanwhile_stays(Contender contender) {
        LoadingCache<Long, String> cache = open(contender, loader);
        cache.put(1L, "old");
        CompletableFuture<String> refreshed = cache.refresh(1L);
        cache.put(1L, "put meanwhile");
        loader.next.complete("new");
        assertThat(refreshed.join()).isEqualTo("new");
        assertThat(cache.getIfPresent(1L)).isEqualTo("put meanwhile");
    }

    @ParameterizedTest
    @EnumSource
    void refresh_keyThatWasInvalidatedMeanwhile_staysAway(Contender contender) {
        LoadingCache<Long, String> cache = open(contender, loader);
        cache.putAll(Map.of(1L, "old", 2L, "old", 3L, "old"));
        List<CompletableFuture<String>> refreshed =
                List.of(cache.refresh(1L), cache.refresh(2L), cache.refresh(3L));
        cache.invalidate(1L);
        cache.invalidateAll(List.of(2L));
        cache.invalidateAll();
        loader.next.complete("new");
        refreshed.forEach(CompletableFuture::join);
        assertThat(cache.asMap()).isEmpty();
    }

    /** Caffeine's own cache keeps these. */
    @Test
    void refresh_keyWithoutValueThatWasInvalidatedMeanwhile_staysAway() {
        LoadingCache<Long, String> cache = open(Contender.POLDER, loader);
        List<CompletableFuture<String>> refreshed =
                List.of(cache.refresh(1L), cache.refresh(2L), cache.refresh(3L));
        cache.invalidate(1L);
        cache.invalidateAll(List.of(2L));
        loader.next.complete("new");
        refreshed.forEach(CompletableFuture::join);
        assertThat(cache.asMap()).containsOnlyKeys(3L);
    }

    /** Whatever removes the key, nobody sees the loaded value, not even for a moment. */
    @Test
    void refresh_keyThatWasRemovedMeanwhile_isNeverThere() {
        Map<String, Consumer<LoadingCache<Long, String>>> ways = new LinkedHashMap<>();
        ways.put("invalidate", cache -> cache.invalidate(1L));
        ways.put("invalidateAll of keys", cache -> cache.invalidateAll(List.of(1L)));
        ways.put("invalidateAll", LoadingCache::invalidateAll);
        ways.put("remove", cache -> cache.asMap().remove(1L));
        ways.put("clear", cache -> cache.asMap().clear());
        ways.put("keySet.clear", cache -> cache.asMap().keySet().clear());
        ways.put("entrySet.clear", cache -> cache.asMap().entrySet().clear());
        ways.put("values.clear", cache -> cache.asMap().values().clear());
        ways.forEach(
                (name, way) -> {
                    List<String> removed = new ArrayList<>();
                    LoadingCache<Long, String> cache =
                            OffHeapCaffeine.asCaffeine(
                                    closing(
                                            longs().removalListener(
                                                            (_, value, _) -> removed.add(value))
                                                    .build()),
                                    loader);
                    for (boolean isThere : new boolean[] {false, true}) {
                        loader.next = new CompletableFuture<>();
                        if (isThere) {
                            cache.put(1L, "old");
                        }
                        CompletableFuture<String> refreshed = cache.refresh(1L);
                        way.accept(cache);
                        loader.next.complete("new");
                        assertThat(refreshed.join()).as(name).isEqualTo("new");
                        assertThat(cache.asMap()).as(name).isEmpty();
                        assertThat(removed).as(name).doesNotContain("new");
                    }
                });
    }

    /** It ends when the listener is told of that. */
    @Test
    void refresh_thatEndsJustAfterTheRemovalOfItsKey_storesNothing() {
        Map<String, Consumer<LoadingCache<Long, String>>> ways = new LinkedHashMap<>();
        ways.put("remove", cache -> cache.asMap().remove(1L));
        ways.put("remove of a value", cache -> cache.asMap().remove(1L, "old"));
        ways.put("keySet.remove", cache -> cache.asMap().keySet().remove(1L));
        ways.put("entrySet.remove", cache -> cache.asMap().entrySet().remove(entry()));
        ways.put("removeAll", cache -> cache.asMap().keySet().removeAll(List.of(1L)));
        ways.put("removeIf", cache -> cache.asMap().values().removeIf("old"::equals));
        ways.put("compute", cache -> cache.asMap().compute(1L, (_, _) -> null));
        ways.put("computeIfPresent", cache -> cache.asMap().computeIfPresent(1L, (_, _) -> null));
        ways.put("merge", cache -> cache.asMap().merge(1L, "other", (_, _) -> null));
        ways.put(
                "compute with a lifetime",
                cache -> {
                    VarExpiration<Long, String> lifetimes =
                            cache.policy().expireVariably().orElseThrow();
                    String _ = lifetimes.compute(1L, (_, _) -> null, Duration.ofHours(1));
                });
        ways.forEach(
                (name, way) -> {
                    loader.next = new CompletableFuture<>();
                    OffHeapCache<Long, String> entries =
                            closing(
                                    longs().expireAfter((_, _) -> Duration.ofHours(1))
                                            .removalListener(
                                                    (_, _, _) -> loader.next.complete("new"))
                                            .build());
                    LoadingCache<Long, String> cache = OffHeapCaffeine.asCaffeine(entries, loader);
                    CompletableFuture<String> refreshed = cache.refresh(1L);
                    entries.put(1L, "old"); // not by the view
                    way.accept(cache);
                    assertThat(refreshed.join()).as(name).isEqualTo("new");
                    assertThat(cache.asMap()).as(name).isEmpty();
                });
    }

    private static Map.Entry<Long, String> entry() {
        return Map.entry(1L, "old");
    }

    @Test
    void refresh_keyThatWasPutWithALifetimeMeanwhile_staysAway() {
        OffHeapCache<Long, String> entries =
                closing(longs().expireAfter((_, _) -> Duration.ofHours(1)).build());
        LoadingCache<Long, String> cache = OffHeapCaffeine.asCaffeine(entries, loader);
        VarExpiration<Long, String> lifetimes = cache.policy().expireVariably().orElseThrow();
        for (Runnable put :
                List.<Runnable>of(
                        () -> {
                            String _ = lifetimes.put(1L, "put", 1, TimeUnit.HOURS);
                        },
                        () -> {
                            String _ = lifetimes.compute(1L, (_, _) -> "put", Duration.ofHours(1));
                        })) {
            loader.next = new CompletableFuture<>();
            CompletableFuture<String> refreshed = cache.refresh(1L);
            put.run();
            entries.invalidate(1L); // not by the view
            loader.next.complete("new");
            assertThat(refreshed.join()).isEqualTo("new");
            assertThat(cache.asMap()).isEmpty();
        }
    }

    /** Returned and not kept; the old value is outdated, so it goes, too. */
    @Test
    void refresh_valueThatIsTooLarge_isReturnedAndLeavesNone() {
        OffHeapCache<Long, String> entries = closing(longs().maximumBytes(16 << 20).build());
        LoadingCache<Long, String> cache =
                OffHeapCaffeine.asCaffeine(
                        entries, key -> key == 3 ? "small" : "x".repeat(3 << 20));
        cache.put(1L, "old");
        assertThat(cache.refresh(1L).join()).hasSize(3 << 20);
        assertThat(cache.asMap()).isEmpty();
        assertThat(entries.stats().refusedPuts()).isEqualTo(1);
        cache.put(2L, "old");
        Map<Long, String> refreshed = cache.refreshAll(List.of(1L, 2L, 3L)).join();
        assertThat(refreshed).containsOnlyKeys(1L, 2L, 3L);
        assertThat(refreshed.get(2L)).hasSize(3 << 20);
        assertThat(cache.asMap()).isEqualTo(Map.of(3L, "small"));
        assertThat(entries.stats().refusedPuts()).isEqualTo(3);
        assertThat(cache.stats().loadSuccessCount()).isEqualTo(4);
        assertThat(cache.stats().loadFailureCount()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void refreshAll_givesAllNewValues(Contender contender) {
        LoadingCache<Long, String> cache = open(contender, key -> "loaded " + key);
        cache.put(1L, "old");
        assertThat(cache.refreshAll(List.of(1L, 2L, 1L)).join())
                .isEqualTo(Map.of(1L, "loaded 1", 2L, "loaded 2"));
        if (contender == Contender.POLDER) { // the other one keeps them a little later
            assertThat(cache.asMap()).isEqualTo(Map.of(1L, "loaded 1", 2L, "loaded 2"));
        }
    }

    /** Strings of which none can be read. */
    private static final class Unreadable implements Codec<String> {
        private final Codec<String> strings = Codec.strings();

        @Override
        public long size(String value) {
            return strings.size(value);
        }

        @Override
        public void write(String value, MemorySegment to) {
            strings.write(value, to);
        }

        @Override
        public String read(MemorySegment from) {
            throw new UnsupportedOperationException("by the test");
        }
    }

    @Test
    void putAll_ofTheMap_readsNoOldValues() {
        OffHeapCache<Long, String> cache = closing(longs().valueCodec(new Unreadable()).build());
        cache.putAll(Map.of(1L, "old", 2L, "old"));
        OffHeapCaffeine.asCaffeine(cache, loader)
                .asMap()
                .putAll(Map.of(1L, "new", 2L, "longer than a word"));
        assertThat(cache.policy().bytesOf(1L).getAsLong())
                .isLessThan(cache.policy().bytesOf(2L).getAsLong());
    }
}
