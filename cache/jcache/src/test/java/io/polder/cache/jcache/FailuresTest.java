package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.configuration.Factory;
import javax.cache.configuration.MutableCacheEntryListenerConfiguration;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.CacheEntryListenerException;
import javax.cache.event.CacheEntryRemovedListener;
import javax.cache.event.CacheEntryUpdatedListener;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.Duration;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheLoaderException;
import javax.cache.integration.CacheWriter;
import javax.cache.integration.CacheWriterException;
import javax.cache.integration.CompletionListenerFuture;
import javax.cache.processor.EntryProcessorException;
import javax.cache.processor.EntryProcessorResult;

/** What holds after a part of an operation on many entries has failed. */
class FailuresTest extends JCacheFixture {
    private static final int REFUSED = 9;

    private static <V> RefusingStore<Integer, V> store() {
        return new RefusingStore<>((key, _) -> key == REFUSED);
    }

    /** Throws for keys 1 and 2. */
    private static final class Refusing
            implements CacheEntryUpdatedListener<Integer, Integer>,
                    CacheEntryRemovedListener<Integer, Integer> {
        @Override
        public void onUpdated(
                Iterable<CacheEntryEvent<? extends Integer, ? extends Integer>> events) {
            events.forEach(
                    each -> {
                        if (each.getKey() <= 2) {
                            throw new CacheEntryListenerException("key=" + each.getKey());
                        }
                    });
        }

        @Override
        public void onRemoved(
                Iterable<CacheEntryEvent<? extends Integer, ? extends Integer>> events) {
            onUpdated(events);
        }
    }

    private Cache<Integer, Integer> refusing(RefusingStore<Integer, Integer> store) {
        PolderConfiguration<Integer, Integer> configuration =
                store.of(types(Integer.class, Integer.class));
        configuration.addCacheEntryListenerConfiguration(
                new MutableCacheEntryListenerConfiguration<>(Refusing::new, null, true, true));
        Cache<Integer, Integer> cache = cache(configuration);
        cache.putAll(Map.of(1, 10, 2, 20, 3, 30));
        return cache;
    }

    @Test
    void putAll_whoseListenerThrows_putsAllThatWasWritten() {
        RefusingStore<Integer, Integer> store = store();
        Cache<Integer, Integer> cache = refusing(store);
        assertThatThrownBy(() -> cache.putAll(new TreeMap<>(Map.of(1, 11, 2, 21, 3, 31))))
                .isInstanceOf(CacheEntryListenerException.class)
                .hasMessage("key=1")
                .satisfies(
                        e ->
                                assertThat(e.getSuppressed())
                                        .singleElement()
                                        .hasToString(
                                                "javax.cache.event.CacheEntryListenerException:"
                                                        + " key=2"));
        assertThat(cache.getAll(Set.of(1, 2, 3))).isEqualTo(Map.of(1, 11, 2, 21, 3, 31));
        assertThat(store.values).isEqualTo(Map.of(1, 11, 2, 21, 3, 31));
    }

    @Test
    void putAll_whoseWriterAndListenerThrow_throwsWhatTheWriterThrew() {
        Cache<Integer, Integer> cache = refusing(store());
        assertThatThrownBy(() -> cache.putAll(new TreeMap<>(Map.of(1, 11, 3, 31, REFUSED, 91))))
                .isInstanceOf(CacheWriterException.class)
                .satisfies(
                        e ->
                                assertThat(e.getSuppressed())
                                        .singleElement()
                                        .hasToString(
                                                "javax.cache.event.CacheEntryListenerException:"
                                                        + " key=1"));
        assertThat(cache.getAll(Set.of(1, 2, 3, REFUSED))).isEqualTo(Map.of(1, 11, 2, 20, 3, 31));
    }

    @Test
    void removeAll_whoseListenerThrows_removesAllThatWasDeleted() {
        RefusingStore<Integer, Integer> store = store();
        Cache<Integer, Integer> cache = refusing(store);
        assertThatThrownBy(() -> cache.removeAll(new TreeSet<>(Set.of(1, 2, 3))))
                .isInstanceOf(CacheEntryListenerException.class)
                .hasMessage("key=1");
        assertThat(store.values).isEmpty();
        assertThat(cache).isEmpty();
    }

    @Test
    void putAll_ofAValueThatCannotBeStored_putsTheOthers() {
        RefusingStore<Integer, Object> store = store();
        Cache<Integer, Object> cache = cache(store.of(types(Integer.class, Object.class)));
        cache.putAll(Map.of(1, 10, 2, 20));
        Object refused = new Object();
        assertThatThrownBy(() -> cache.putAll(new TreeMap<>(Map.of(1, refused, 2, 22))))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining("must be Serializable");
        assertThat(store.values.get(1)).isSameAs(refused);
        assertThat(cache.containsKey(1)).isFalse();
        assertThat(cache.get(2)).isEqualTo(22);
    }

    /** Read through a loader that gives this map, for whatever keys. */
    @SuppressWarnings("NullAway") // null is among what is tested
    private Cache<Integer, Integer> readThrough(@Nullable Map<Integer, Integer> loaded) {
        PolderConfiguration<Integer, Integer> configuration = types(Integer.class, Integer.class);
        Factory<CacheLoader<Integer, Integer>> factory =
                () ->
                        new CacheLoader<>() {
                            @Override
                            public Integer load(Integer key) {
                                throw new AssertionError(key);
                            }

                            @Override
                            public Map<Integer, Integer> loadAll(Iterable<? extends Integer> keys) {
                                return loaded;
                            }
                        };
        configuration.setCacheLoaderFactory(factory);
        configuration.setReadThrough(true);
        return cache(configuration);
    }

    @Test
    void getAll_whoseLoaderGivesMore_returnsWhatWasAskedForAndKeepsAll() {
        Cache<Integer, Integer> cache = readThrough(Map.of(1, 10, 2, 20));
        assertThat(cache.getAll(Set.of(1, 3))).isEqualTo(Map.of(1, 10));
        assertThat(cache.containsKey(2)).isTrue();
    }

    @Test
    void getAll_whoseLoaderGivesNull_saysWhoDid() {
        Cache<Integer, Integer> cache = readThrough(null);
        assertThatThrownBy(() -> cache.getAll(Set.of(1)))
                .isInstanceOf(CacheLoaderException.class)
                .hasRootCauseMessage("loadAll must return a map");
    }

    @Test
    void getAll_whoseLoaderGivesANullKey_saysWhoDidAndKeepsNothing() {
        Map<Integer, Integer> loaded = new LinkedHashMap<>(Map.of(1, 10));
        loaded.put(null, 20);
        Cache<Integer, Integer> cache = readThrough(loaded);
        assertThatThrownBy(() -> cache.getAll(Set.of(1)))
                .isInstanceOf(CacheLoaderException.class)
                .hasRootCauseMessage("a loaded key must not be null");
        assertThat(cache.containsKey(1)).isFalse();
    }

    @Test
    void loadAll_whoseLoaderThrowsAnError_tellsTheListener() {
        PolderConfiguration<Integer, Integer> configuration = types(Integer.class, Integer.class);
        Factory<CacheLoader<Integer, Integer>> factory =
                () ->
                        new CacheLoader<>() {
                            @Override
                            public @Nullable Integer load(Integer key) {
                                throw new StackOverflowError("made by the test");
                            }

                            @Override
                            public Map<Integer, Integer> loadAll(Iterable<? extends Integer> keys) {
                                throw new StackOverflowError("made by the test");
                            }
                        };
        configuration.setCacheLoaderFactory(factory);
        Cache<Integer, Integer> cache = cache(configuration);
        CompletionListenerFuture done = new CompletionListenerFuture();
        cache.loadAll(Set.of(1), false, done);
        assertThatThrownBy(() -> done.get(200, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(CacheLoaderException.class)
                .hasRootCauseInstanceOf(StackOverflowError.class);
    }

    @Test
    void duration_ofMoreSecondsThanALongCounts_isForEver() {
        PolderConfiguration<Integer, Integer> configuration = types(Integer.class, Integer.class);
        configuration.setExpiryPolicyFactory(
                CreatedExpiryPolicy.factoryOf(new Duration(TimeUnit.DAYS, Long.MAX_VALUE)));
        Cache<Integer, Integer> cache = cache(configuration);
        cache.put(1, 1);
        assertThat(cache.get(1)).isEqualTo(1);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> RuntimeException unchecked(Exception thrown) throws T {
        throw (T) thrown;
    }

    @SuppressWarnings("TypeParameterUnusedInFormals") // for each method of the interfaces
    private static <T> T checked() {
        throw unchecked(new IOException("by the test"));
    }

    /** Loads and writes nothing, but for key 1. */
    private static final class Checking
            implements CacheLoader<Integer, Integer>, CacheWriter<Integer, Integer> {
        @Override
        public Integer load(Integer key) {
            return checked();
        }

        @Override
        public Map<Integer, Integer> loadAll(Iterable<? extends Integer> keys) {
            return checked();
        }

        @Override
        public void write(Cache.Entry<? extends Integer, ? extends Integer> entry) {
            if (entry.getKey() != 1) {
                int _ = checked();
            }
        }

        @Override
        public void delete(Object key) {
            int _ = checked();
        }

        @Override
        public void writeAll(
                Collection<Cache.Entry<? extends Integer, ? extends Integer>> entries) {
            int _ = checked();
        }

        @Override
        public void deleteAll(Collection<?> keys) {
            int _ = checked();
        }
    }

    /** What is written in another language may throw what is checked: it is wrapped as well. */
    @Test
    void checkedExceptions_areWrapped() {
        PolderConfiguration<Integer, Integer> configuration = types(Integer.class, Integer.class);
        Checking checking = new Checking();
        configuration
                .setReadThrough(true)
                .setWriteThrough(true)
                .setCacheLoaderFactory(() -> checking)
                .setCacheWriterFactory(() -> checking);
        Cache<Integer, Integer> cache = cache(configuration);
        cache.put(1, 10);
        assertThatThrownBy(() -> cache.get(2))
                .isInstanceOf(CacheLoaderException.class)
                .hasCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> cache.getAll(Set.of(1, 2)))
                .isInstanceOf(CacheLoaderException.class)
                .hasCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> cache.put(2, 20))
                .isInstanceOf(CacheWriterException.class)
                .hasCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> cache.invoke(1, (_, _) -> checked()))
                .isInstanceOf(EntryProcessorException.class)
                .hasCauseInstanceOf(IOException.class);
        Map<Integer, EntryProcessorResult<Object>> results =
                cache.invokeAll(Set.of(1), (_, _) -> checked());
        assertThatThrownBy(() -> Objects.requireNonNull(results.get(1)).get())
                .isInstanceOf(EntryProcessorException.class)
                .hasCauseInstanceOf(IOException.class);
        assertThat(cache.getAll(Set.of(1))).isEqualTo(Map.of(1, 10));
    }
}
