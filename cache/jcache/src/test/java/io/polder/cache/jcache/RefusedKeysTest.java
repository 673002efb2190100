package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CompletionListenerFuture;
import javax.cache.processor.EntryProcessorResult;

/** Keys that the cache cannot store are refused by questions, too, before anybody is asked. */
class RefusedKeysTest extends JCacheFixture {
    private static final String MESSAGE = "must allow the class of what is written";

    /** Of a class that the filter refuses. */
    private record Key(String name) implements Serializable {}

    private final AtomicInteger asked = new AtomicInteger();
    private final RefusingStore<Object, Object> store = new RefusingStore<>((_, _) -> false);

    private CacheLoader<Object, Object> loader() {
        return new CacheLoader<>() {
            @Override
            public Object load(Object key) {
                asked.incrementAndGet();
                return "loaded";
            }

            @Override
            public Map<Object, Object> loadAll(Iterable<?> keys) {
                asked.incrementAndGet();
                return Map.of();
            }
        };
    }

    private Cache<Object, Object> cache(boolean isWatched) {
        PolderConfiguration<Object, Object> plain = types(Object.class, Object.class);
        PolderConfiguration<Object, Object> configuration = isWatched ? store.of(plain) : plain;
        configuration.setSerialFilter("!" + Key.class.getName());
        Cache<Object, Object> cache = cache(configuration);
        cache.put("a", "b");
        return cache;
    }

    private List<ThrowingCallable> uses(Cache<Object, Object> cache, Object key) {
        return List.of(
                () -> cache.get(key),
                () -> cache.getAll(Set.of("a", key)),
                () -> cache.containsKey(key),
                () -> cache.put(key, "c"),
                () -> cache.getAndPut(key, "c"),
                () -> cache.putIfAbsent(key, "c"),
                () -> cache.remove(key),
                () -> cache.remove(key, "c"),
                () -> cache.getAndRemove(key),
                () -> cache.replace(key, "c"),
                () -> cache.replace(key, "c", "d"),
                () -> cache.getAndReplace(key, "c"),
                () -> cache.invoke(key, (_, _) -> asked.incrementAndGet()),
                () -> resultOf(cache, key).get());
    }

    private EntryProcessorResult<Integer> resultOf(Cache<Object, Object> cache, Object key) {
        return Objects.requireNonNull(
                cache.invokeAll(Set.of(key), (_, _) -> asked.incrementAndGet()).get(key));
    }

    private void refusesAll(Cache<Object, Object> cache, Object key, String message) {
        int written = store.values.size();
        List<ThrowingCallable> uses = uses(cache, key);
        for (int i = 0; i < uses.size(); i++) {
            assertThatThrownBy(uses.get(i))
                    .as("%d", i)
                    .isInstanceOf(CacheException.class)
                    .satisfies(thrown -> assertThat(root(thrown)).hasMessageContaining(message));
        }
        assertThat(asked).hasValue(0);
        assertThat(store.values).hasSize(written);
        assertThat(cache).hasSize(1);
    }

    private static Throwable root(Throwable thrown) {
        Throwable last = thrown;
        for (Throwable next = last; next != null; next = next.getCause()) {
            last = next;
        }
        return last;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void key_ofAClassThatTheFilterRefuses_isRefusedByAll(boolean isWatched) {
        refusesAll(cache(isWatched), new Key("x"), Key.class.getName());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void key_thatIsNotSerializable_isRefusedByAll(boolean isWatched) {
        Cache<Object, Object> cache = cache(isWatched);
        refusesAll(cache, new Object(), "java.lang.Object");
        refusesAll(cache, new ArrayList<>(Arrays.asList(new Object())), "java.lang.Object");
    }

    @Test
    void loader_isNotAskedForSuchAKey() {
        PolderConfiguration<Object, Object> configuration = types(Object.class, Object.class);
        configuration.setSerialFilter("!" + Key.class.getName());
        configuration.setReadThrough(true).setCacheLoaderFactory(this::loader);
        Cache<Object, Object> cache = cache(configuration);
        assertThatThrownBy(() -> cache.get(new Key("x")))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining(MESSAGE);
        CompletionListenerFuture done = new CompletionListenerFuture();
        cache.loadAll(Set.of(new Key("x")), false, done);
        assertThatThrownBy(() -> done.get(200, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(CacheException.class);
        assertThat(asked).hasValue(0);
        assertThat(cache.get("y")).isEqualTo("loaded");
    }
}
