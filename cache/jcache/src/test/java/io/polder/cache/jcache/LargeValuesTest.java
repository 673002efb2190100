package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import javax.cache.Cache;
import javax.cache.configuration.MutableCacheEntryListenerConfiguration;
import javax.cache.event.CacheEntryCreatedListener;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.CacheEntryRemovedListener;
import javax.cache.event.CacheEntryUpdatedListener;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.Duration;

/** A value that is too large for an entry is as if it had been put, and evicted at once. */
class LargeValuesTest extends JCacheFixture {
    private static final int KEYS = 6;
    private static final int STEPS = 1500;
    private static final String LARGE = "x".repeat(3 << 20);

    /** All that puts a value which a program gives. */
    private enum Way {
        PUT,
        PUT_ALL,
        GET_AND_PUT,
        PUT_IF_ABSENT,
        REPLACE,
        REPLACE_EXPECTED,
        GET_AND_REPLACE,
        INVOKE;

        /** Whether it puts in the place of an old value, or none. */
        boolean puts(@Nullable String old) {
            return switch (this) {
                case PUT, PUT_ALL, GET_AND_PUT, INVOKE -> true;
                case PUT_IF_ABSENT -> old == null;
                case REPLACE, GET_AND_REPLACE -> old != null;
                case REPLACE_EXPECTED -> "old".equals(old);
            };
        }

        /** What it returns. */
        @Nullable Object result(@Nullable String old) {
            return switch (this) {
                case PUT, PUT_ALL -> null;
                case PUT_IF_ABSENT, REPLACE, REPLACE_EXPECTED -> puts(old);
                case GET_AND_PUT, GET_AND_REPLACE, INVOKE -> old;
            };
        }

        @Nullable Object on(Cache<Integer, String> cache, int key, String to) {
            return switch (this) {
                case PUT -> {
                    cache.put(key, to);
                    yield null;
                }
                case PUT_ALL -> {
                    cache.putAll(Map.of(key, to));
                    yield null;
                }
                case GET_AND_PUT -> cache.getAndPut(key, to);
                case PUT_IF_ABSENT -> cache.putIfAbsent(key, to);
                case REPLACE -> cache.replace(key, to);
                case REPLACE_EXPECTED -> cache.replace(key, "old", to);
                case GET_AND_REPLACE -> cache.getAndReplace(key, to);
                case INVOKE ->
                        cache.invoke(
                                key,
                                (entry, _) -> {
                                    String old = entry.getValue();
                                    entry.setValue(to);
                                    return old;
                                });
            };
        }
    }

    /** Writes down all that it is told. */
    private static final class Told
            implements CacheEntryCreatedListener<Integer, String>,
                    CacheEntryUpdatedListener<Integer, String>,
                    CacheEntryRemovedListener<Integer, String> {
        private final List<List<Object>> events = new ArrayList<>();

        private void add(Iterable<CacheEntryEvent<? extends Integer, ? extends String>> happened) {
            happened.forEach(
                    each ->
                            events.add(
                                    List.of(
                                            each.getEventType().name(),
                                            each.getKey(),
                                            String.valueOf(each.getOldValue()),
                                            each.getValue())));
        }

        @Override
        public void onCreated(
                Iterable<CacheEntryEvent<? extends Integer, ? extends String>> happened) {
            add(happened);
        }

        @Override
        public void onUpdated(
                Iterable<CacheEntryEvent<? extends Integer, ? extends String>> happened) {
            add(happened);
        }

        @Override
        public void onRemoved(
                Iterable<CacheEntryEvent<? extends Integer, ? extends String>> happened) {
            add(happened);
        }
    }

    private static Map<Integer, String> entries(Cache<Integer, String> cache) {
        Map<Integer, String> found = new TreeMap<>();
        cache.forEach(each -> found.put(each.getKey(), each.getValue()));
        return found;
    }

    @ParameterizedTest
    @CsvSource({"false,false,false", "false,false,true", "true,false,false", "true,true,true"})
    void puts_ofAnySize_areAsIfLargeValuesWereEvictedAtOnce(
            boolean isListenedTo, boolean isWritten, boolean expires) {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        Told told = new Told();
        RefusingStore<Integer, String> written = new RefusingStore<>((_, _) -> false);
        PolderConfiguration<Integer, String> configuration =
                types(Integer.class, String.class).setMaximumBytes(16 << 20);
        if (isWritten) {
            configuration = written.of(configuration);
        }
        if (isListenedTo) {
            configuration.addCacheEntryListenerConfiguration(
                    new MutableCacheEntryListenerConfiguration<>(() -> told, null, true, true));
        }
        if (expires) {
            configuration.setExpiryPolicyFactory(CreatedExpiryPolicy.factoryOf(Duration.ONE_DAY));
        }
        configuration.setStatisticsEnabled(true);
        Cache<Integer, String> cache = cache(configuration);
        Statistics statistics = cache.unwrap(PolderCache.class).statistics();
        Map<Integer, String> model = new TreeMap<>();
        Map<Integer, String> store = new TreeMap<>();
        Map<Way, Integer> evicted = new EnumMap<>(Way.class);
        int puts = 0;
        for (int step = 0; step < STEPS; step++) {
            Way way = Way.values()[random.nextInt(Way.values().length)];
            int key = random.nextInt(KEYS);
            String to =
                    random.nextInt(3) == 0 ? LARGE : random.nextBoolean() ? "old" : "value " + step;
            String as = "seed=" + seed + " step=" + step + " way=" + way;
            String old = model.get(key);
            told.events.clear();
            assertThat(way.on(cache, key, to)).as(as).isEqualTo(way.result(old));
            List<List<Object>> expected = new ArrayList<>();
            if (way.puts(old)) {
                puts++;
                store.put(key, to);
                if (to.equals(LARGE)) {
                    model.remove(key);
                    evicted.merge(way, 1, Integer::sum);
                } else {
                    model.put(key, to);
                }
                String type = old == null ? "CREATED" : "UPDATED";
                expected.add(List.of(type, key, String.valueOf(old), to));
            }
            assertThat(entries(cache)).as(as).isEqualTo(model);
            if (isListenedTo) {
                assertThat(told.events).as(as).isEqualTo(expected);
            }
        }
        int evictions = evicted.values().stream().mapToInt(Integer::intValue).sum();
        assertThat(statistics.getCachePuts()).as("seed=%s", seed).isEqualTo(puts);
        assertThat(statistics.getCacheEvictions()).as("seed=%s", seed).isEqualTo(evictions);
        assertThat(written.values).isEqualTo(isWritten ? store : Map.of());
        assertThat(evicted).as("seed=%s", seed).containsOnlyKeys(Way.values());
    }
}
