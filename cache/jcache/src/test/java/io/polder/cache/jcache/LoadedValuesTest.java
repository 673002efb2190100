package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

import javax.cache.Cache;
import javax.cache.configuration.Factory;
import javax.cache.configuration.MutableCacheEntryListenerConfiguration;
import javax.cache.event.CacheEntryCreatedListener;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.CacheEntryRemovedListener;
import javax.cache.event.CacheEntryUpdatedListener;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.Duration;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CompletionListenerFuture;

/** A loaded value that is too large is returned, and evicted at once, however it is loaded. */
class LoadedValuesTest extends JCacheFixture {
    private static final int KEYS = 6;
    private static final int STEPS = 2000;
    private static final String LARGE = "x".repeat(3 << 20);

    /** What a loader finds; {@code loadAll} gives values of keys that it was not asked for, too. */
    private final Map<Integer, String> source = new TreeMap<>();

    /** Loads from the source. */
    private final class Loader implements CacheLoader<Integer, String> {
        @Override
        public @Nullable String load(Integer key) {
            return source.get(key);
        }

        @Override
        public Map<Integer, String> loadAll(Iterable<? extends Integer> keys) {
            return new TreeMap<>(source);
        }
    }

    /** Writes down which keys have a value, as it is told; what is too large has left at once. */
    private static final class Mirror
            implements CacheEntryCreatedListener<Integer, String>,
                    CacheEntryUpdatedListener<Integer, String>,
                    CacheEntryRemovedListener<Integer, String> {
        private final Map<Integer, String> told = Collections.synchronizedMap(new TreeMap<>());

        @Override
        public void onCreated(
                Iterable<CacheEntryEvent<? extends Integer, ? extends String>> events) {
            events.forEach(each -> assertThat(change(each)).isNull());
        }

        @Override
        public void onUpdated(
                Iterable<CacheEntryEvent<? extends Integer, ? extends String>> events) {
            events.forEach(each -> assertThat(change(each)).isNotNull());
        }

        private @Nullable String change(CacheEntryEvent<? extends Integer, ? extends String> each) {
            return each.getValue().equals(LARGE)
                    ? told.remove(each.getKey())
                    : told.put(each.getKey(), each.getValue());
        }

        @Override
        public void onRemoved(
                Iterable<CacheEntryEvent<? extends Integer, ? extends String>> events) {
            events.forEach(each -> assertThat(told.remove(each.getKey())).isNotNull());
        }
    }

    private PolderConfiguration<Integer, String> loading() {
        PolderConfiguration<Integer, String> configuration =
                types(Integer.class, String.class).setMaximumBytes(16 << 20);
        Factory<CacheLoader<Integer, String>> factory = Loader::new;
        configuration.setCacheLoaderFactory(factory);
        configuration.setReadThrough(true);
        return configuration;
    }

    private static void loadAll(Cache<Integer, String> cache, Set<Integer> keys, boolean replaces)
            throws Exception {
        CompletionListenerFuture done = new CompletionListenerFuture();
        cache.loadAll(keys, replaces, done);
        done.get(200, TimeUnit.SECONDS);
    }

    private static Map<Integer, String> entries(Cache<Integer, String> cache) {
        Map<Integer, String> found = new TreeMap<>();
        cache.forEach(each -> found.put(each.getKey(), each.getValue()));
        return found;
    }

    @Test
    void loadAll_ofOneThatIsTooLarge_loadsTheOthersAndCountsThem() throws Exception {
        PolderConfiguration<Integer, String> configuration = loading();
        configuration.setStatisticsEnabled(true);
        Cache<Integer, String> cache = cache(configuration);
        source.putAll(Map.of(1, LARGE, 2, "two", 3, "three"));
        loadAll(cache, Set.of(1, 2, 3), false);
        assertThat(entries(cache)).isEqualTo(Map.of(2, "two", 3, "three"));
        Statistics statistics = cache.unwrap(PolderCache.class).statistics();
        assertThat(statistics.getCachePuts()).isEqualTo(3);
        assertThat(statistics.getCacheEvictions()).isEqualTo(1);
    }

    /** A loader may make keys of its own. */
    @Test
    void getAll_whoseLoaderGivesOtherObjects_findsThemByTheirBytes() {
        PolderConfiguration<byte[], String> configuration = types(byte[].class, String.class);
        Factory<CacheLoader<byte[], String>> factory =
                () ->
                        new CacheLoader<>() {
                            @Override
                            public @Nullable String load(byte[] key) {
                                return null;
                            }

                            @Override
                            public Map<byte[], String> loadAll(Iterable<? extends byte[]> keys) {
                                return Map.of(new byte[] {2}, "two", new byte[] {4}, "four");
                            }
                        };
        configuration.setCacheLoaderFactory(factory);
        configuration.setReadThrough(true);
        Cache<byte[], String> cache = cache(configuration);
        cache.put(new byte[] {1}, "one");
        byte[] one = {1};
        byte[] two = {2};
        assertThat(cache.getAll(Set.of(one, two, new byte[] {3})))
                .isEqualTo(Map.of(one, "one", two, "two"));
        assertThat(cache.get(new byte[] {4})).isEqualTo("four");
    }

    /** Has loaded values come to the cache in all ways, and asks each way what it gives. */
    private void loadInAnyWay(Cache<Integer, String> cache, long seed, Map<String, Integer> mix)
            throws Exception {
        Random random = new Random(seed);
        Map<Integer, String> known = new TreeMap<>();
        List<String> kinds = List.of("get", "getAll", "loadAll", "replacing", "invoke", "remove");
        for (int step = 0; step < STEPS; step++) {
            int key = random.nextInt(KEYS);
            switch (random.nextInt(4)) {
                case 0 -> source.remove(key);
                case 1 -> source.put(key, LARGE);
                default -> source.put(key, "value " + step);
            }
            Set<Integer> keys = new TreeSet<>(List.of(key, random.nextInt(KEYS)));
            Map<Integer, String> small = new TreeMap<>(source);
            small.values().removeIf(LARGE::equals);
            String kind = random.nextBoolean() ? "remove" : kinds.get(random.nextInt(kinds.size()));
            String expected = known.getOrDefault(key, source.get(key));
            boolean isLarge = LARGE.equals(expected);
            switch (kind) {
                case "get" -> {
                    assertThat(cache.get(key)).as("seed=%s", seed).isEqualTo(expected);
                    addIfSmall(known, key, expected);
                }
                case "invoke" -> {
                    String read = cache.invoke(key, (entry, _) -> entry.getValue());
                    assertThat(read).as("seed=%s", seed).isEqualTo(expected);
                    addIfSmall(known, key, expected);
                }
                case "getAll" -> {
                    Map<Integer, String> all = new HashMap<>(source);
                    all.putAll(known);
                    all.keySet().retainAll(keys);
                    assertThat(cache.getAll(keys)).as("seed=%s", seed).isEqualTo(all);
                    isLarge = all.containsValue(LARGE);
                    if (!known.keySet().containsAll(keys)) {
                        small.forEach(known::putIfAbsent);
                    }
                }
                case "loadAll" -> {
                    loadAll(cache, keys, false);
                    if (!known.keySet().containsAll(keys)) {
                        small.forEach(known::putIfAbsent);
                    }
                }
                case "replacing" -> {
                    loadAll(cache, keys, true);
                    known.keySet().removeAll(source.keySet());
                    known.putAll(small);
                }
                default -> {
                    boolean _ = cache.remove(key);
                    known.remove(key);
                }
            }
            mix.merge(isLarge ? "large by " + kind : kind, 1, Integer::sum);
            assertThat(entries(cache))
                    .as("seed=%s step=%s kind=%s", seed, step, kind)
                    .isEqualTo(known);
        }
    }

    private static void addIfSmall(Map<Integer, String> known, int key, @Nullable String value) {
        if (value != null && !value.equals(LARGE)) {
            known.put(key, value);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void loadedValues_ofAnySize_areReturnedAndKeptIfTheyFit(boolean isWatched) throws Exception {
        long seed = new Random().nextLong();
        PolderConfiguration<Integer, String> configuration = loading();
        Mirror mirror = new Mirror();
        if (isWatched) {
            configuration.setExpiryPolicyFactory(CreatedExpiryPolicy.factoryOf(Duration.ONE_DAY));
            configuration.addCacheEntryListenerConfiguration(
                    new MutableCacheEntryListenerConfiguration<>(() -> mirror, null, true, true));
        }
        Cache<Integer, String> cache = cache(configuration);
        Map<String, Integer> mix = new HashMap<>();
        loadInAnyWay(cache, seed, mix);
        for (String each : List.of("get", "getAll", "invoke")) {
            assertThat(mix.get("large by " + each)).as("seed=%s", seed).isGreaterThan(STEPS / 400);
        }
        if (isWatched) {
            assertThat(mirror.told).isEqualTo(entries(cache));
        }
    }
}
