package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.configuration.Factory;
import javax.cache.configuration.MutableCacheEntryListenerConfiguration;
import javax.cache.event.CacheEntryCreatedListener;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.CacheEntryEventFilter;
import javax.cache.expiry.Duration;
import javax.cache.expiry.EternalExpiryPolicy;
import javax.cache.expiry.ExpiryPolicy;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheWriter;

/** Factories of a configuration that make nothing, or use the manager. */
class FactoriesTest extends JCacheFixture {
    @SuppressWarnings("NullAway") // what is tested
    private static <T> Factory<T> ofNothing() {
        return () -> null;
    }

    private static void set(PolderConfiguration<Long, String> configuration, String what) {
        switch (what) {
            case "a codec" -> configuration.setKeyCodec(ofNothing());
            case "the pool" -> configuration.setPool(ofNothing());
            case "the expiry policy" -> configuration.setExpiryPolicyFactory(ofNothing());
            case "the loader" ->
                    configuration.setReadThrough(true).setCacheLoaderFactory(ofNothing());
            case "the writer" ->
                    configuration.setWriteThrough(true).setCacheWriterFactory(ofNothing());
            case "a listener" ->
                    configuration.addCacheEntryListenerConfiguration(
                            new MutableCacheEntryListenerConfiguration<>(
                                    ofNothing(), null, false, true));
            case "a filter" -> {
                CacheEntryCreatedListener<Long, String> listener = _ -> {};
                configuration.addCacheEntryListenerConfiguration(
                        new MutableCacheEntryListenerConfiguration<>(
                                () -> listener, ofNothing(), false, true));
            }
            default -> throw new AssertionError(what);
        }
    }

    /** Nobody has a cache that silently loads, writes or filters nothing. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a codec",
                "the pool",
                "the expiry policy",
                "the loader",
                "the writer",
                "a listener",
                "a filter"
            })
    void createCache_withAFactoryThatMakesNull_isRefused(String what) {
        CacheManager manager = manager("");
        PolderConfiguration<Long, String> configuration = types(Long.class, String.class);
        set(configuration, what);
        assertThatThrownBy(() -> manager.createCache("cache", configuration))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("what the factory of " + what + " makes");
        assertThat(manager.getCacheNames()).isEmpty();
        manager.createCache("cache", types(Long.class, String.class)).put(1L, "one");
    }

    /** Loads, writes, listens and filters nothing; can be closed. */
    private static final class Part
            implements CacheLoader<Long, String>,
                    CacheWriter<Long, String>,
                    CacheEntryCreatedListener<Long, String>,
                    CacheEntryEventFilter<Long, String>,
                    ExpiryPolicy,
                    AutoCloseable {
        private final String name;
        private final List<String> open;

        Part(String name, List<String> open) {
            this.name = name;
            this.open = open;
            open.add(name);
        }

        @Override
        public void close() {
            open.remove(name);
        }

        @Override
        public @Nullable String load(Long key) {
            return null;
        }

        @Override
        public Map<Long, String> loadAll(Iterable<? extends Long> keys) {
            return Map.of();
        }

        @Override
        public void write(Cache.Entry<? extends Long, ? extends String> entry) {}

        @Override
        public void writeAll(Collection<Cache.Entry<? extends Long, ? extends String>> entries) {}

        @Override
        public void delete(Object key) {}

        @Override
        public void deleteAll(Collection<?> keys) {}

        @Override
        public void onCreated(Iterable<CacheEntryEvent<? extends Long, ? extends String>> events) {}

        @Override
        public boolean evaluate(CacheEntryEvent<? extends Long, ? extends String> event) {
            return true;
        }

        @Override
        public Duration getExpiryForCreation() {
            return Duration.ETERNAL;
        }

        @Override
        public Duration getExpiryForAccess() {
            return Duration.ETERNAL;
        }

        @Override
        public Duration getExpiryForUpdate() {
            return Duration.ETERNAL;
        }
    }

    /** What factories have made before one that makes nothing. */
    @ParameterizedTest
    @ValueSource(strings = {"the writer", "a filter", "the pool"})
    void createCache_thatIsRefused_closesWhatWasMadeForIt(String what) {
        List<String> open = new ArrayList<>();
        List<String> made = new ArrayList<>();
        PolderConfiguration<Long, String> configuration = types(Long.class, String.class);
        configuration
                .setReadThrough(true)
                .setWriteThrough(true)
                .setExpiryPolicyFactory(() -> part("policy", open, made))
                .setCacheLoaderFactory(() -> part("loader", open, made))
                .setCacheWriterFactory(() -> part("writer", open, made))
                .addCacheEntryListenerConfiguration(
                        new MutableCacheEntryListenerConfiguration<>(
                                () -> part("listener", open, made),
                                what.equals("a filter")
                                        ? ofNothing()
                                        : () -> part("filter", open, made),
                                false,
                                true));
        if (!what.equals("a filter")) {
            set(configuration, what);
        }
        CacheManager manager = manager("");
        assertThatThrownBy(() -> manager.createCache("cache", configuration))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("what the factory of " + what + " makes");
        assertThat(made).contains("policy", "loader");
        assertThat(open).isEmpty();
    }

    private static Part part(String name, List<String> open, List<String> made) {
        made.add(name);
        return new Part(name, open);
    }

    /** Whose thread waits for another one, which makes a cache of another name. */
    @Test
    void factory_thatWaitsForAThreadThatUsesTheManager_isNotInItsWay() throws Exception {
        CacheManager manager = manager("");
        try (ExecutorService other = Executors.newSingleThreadExecutor()) {
            PolderConfiguration<Long, String> waiting = types(Long.class, String.class);
            waiting.setExpiryPolicyFactory(
                    () -> {
                        assertThat(
                                        other.submit(
                                                () ->
                                                        manager.createCache(
                                                                "other",
                                                                types(Long.class, String.class))))
                                .succeedsWithin(java.time.Duration.ofMinutes(1));
                        return new EternalExpiryPolicy();
                    });
            Cache<Long, String> _ = manager.createCache("waiting", waiting);
        }
        assertThat(manager.getCacheNames()).containsExactlyInAnyOrder("other", "waiting");
    }

    @Test
    void factory_thatMakesACacheOfTheSameName_leavesThatAlone() {
        CacheManager manager = manager("");
        PolderConfiguration<Long, String> twice = types(Long.class, String.class);
        List<Cache<Long, String>> inner = new ArrayList<>();
        twice.setExpiryPolicyFactory(
                () -> {
                    inner.add(manager.createCache("twice", types(Long.class, String.class)));
                    return new EternalExpiryPolicy();
                });
        assertThatThrownBy(() -> manager.createCache("twice", twice))
                .isInstanceOf(CacheException.class)
                .hasMessage("a cache of this name exists: name=twice");
        Cache<Long, String> made = manager.getCache("twice", Long.class, String.class);
        assertThat(made).isSameAs(inner.getFirst());
        assertThat(inner.getFirst().isClosed()).isFalse();
    }

    @Test
    void factory_thatFailsToMakeACacheOfTheSameName_keepsTheNameForIts() {
        CacheManager manager = manager("");
        PolderConfiguration<Long, String> failing = types(Long.class, String.class);
        set(failing, "the expiry policy");
        PolderConfiguration<Long, String> own = types(Long.class, String.class);
        own.setExpiryPolicyFactory(
                () -> {
                    assertThatThrownBy(() -> manager.createCache("own", failing))
                            .isInstanceOf(NullPointerException.class);
                    assertThat(
                                    CompletableFuture.supplyAsync(
                                            () ->
                                                    manager.createCache(
                                                            "own",
                                                            types(Long.class, String.class))))
                            .failsWithin(java.time.Duration.ofMinutes(1))
                            .withThrowableThat()
                            .withMessageEndingWith("a cache of this name exists: name=own");
                    return new EternalExpiryPolicy();
                });
        Cache<Long, String> made = manager.createCache("own", own);
        assertThat(manager.getCache("own", Long.class, String.class)).isSameAs(made);
    }

    @Test
    void factory_thatClosesTheManager_makesNoCache() {
        CacheManager manager = manager("");
        PolderConfiguration<Long, String> closing = types(Long.class, String.class);
        closing.setExpiryPolicyFactory(
                () -> {
                    manager.close();
                    return new EternalExpiryPolicy();
                });
        assertThatThrownBy(() -> manager.createCache("closing", closing))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("the cache manager is closed");
    }
}
