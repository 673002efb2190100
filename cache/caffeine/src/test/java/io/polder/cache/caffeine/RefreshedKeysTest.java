package io.polder.cache.caffeine;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.CacheLoader;
import com.github.benmanes.caffeine.cache.LoadingCache;

import io.polder.cache.Codec;
import io.polder.cache.OffHeapCache;

import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.IntFunction;

/**
 * Keys whose bytes are equal are one key, also while their values are loaded again, and where they
 * are not equal as objects: a cache with such keys does as one with numbers does.
 */
@NullUnmarked // nulls are among what is tested
class RefreshedKeysTest extends ContenderFixture {
    private static final int KEYS = 3;
    private static final int STEPS = 4000;

    /** Two of them are equal if they have the same array. */
    @SuppressWarnings("ArrayRecordComponent") // what is tested
    record Name(byte[] bytes) {}

    enum Kind {
        ARRAYS,
        RECORDS
    }

    /** What is done to both; each time it asks for it, it gets another object for the key. */
    private interface Operation {
        Object on(LoadingCache<Object, String> cache, IntFunction<Object> keys, int key, String v);
    }

    private static final Map<String, Operation> OPERATIONS = new LinkedHashMap<>();

    static {
        OPERATIONS.put(
                "put",
                (cache, keys, key, value) -> {
                    cache.put(keys.apply(key), value);
                    return null;
                });
        OPERATIONS.put(
                "invalidate",
                (cache, keys, key, _) -> {
                    cache.invalidate(keys.apply(key));
                    return null;
                });
        OPERATIONS.put(
                "invalidateAll",
                (cache, _, _, _) -> {
                    cache.invalidateAll();
                    return null;
                });
        OPERATIONS.put(
                "map.remove", (cache, keys, key, _) -> cache.asMap().remove(keys.apply(key)));
        OPERATIONS.put(
                "map.put", (cache, keys, key, value) -> cache.asMap().put(keys.apply(key), value));
        OPERATIONS.put(
                "map.replace",
                (cache, keys, key, value) -> cache.asMap().replace(keys.apply(key), value));
        OPERATIONS.put(
                "map.merge",
                (cache, keys, key, value) ->
                        cache.asMap().merge(keys.apply(key), value, (_, next) -> next));
        OPERATIONS.put(
                "keys.remove",
                (cache, keys, key, _) -> cache.asMap().keySet().remove(keys.apply(key)));
        OPERATIONS.put(
                "entries.remove",
                (cache, keys, key, value) ->
                        cache.asMap().entrySet().remove(Map.entry(keys.apply(key), value)));
        OPERATIONS.put(
                "map.replaceAll",
                (cache, _, _, value) -> {
                    cache.asMap().replaceAll((_, _) -> value);
                    return null;
                });
    }

    /** Loads end when the test lets them. */
    private static final class Loader implements CacheLoader<Object, String> {
        private final List<CompletableFuture<String>> waiting = new ArrayList<>();

        @Override
        public String load(Object key) {
            throw new AssertionError("refreshes are asynchronous");
        }

        @Override
        public CompletableFuture<String> asyncLoad(Object key, Executor unused) {
            waiting.add(new CompletableFuture<>());
            return waiting.getLast();
        }

        @Override
        public CompletableFuture<String> asyncReload(Object key, String old, Executor unused) {
            return asyncLoad(key, unused);
        }
    }

    @SuppressWarnings("unchecked") // the test gives each cache keys of its class
    private <K> LoadingCache<Object, String> open(Codec<K> keys, Loader loader) {
        OffHeapCache<K, String> cache =
                OffHeapCache.<K, String>builder()
                        .keyCodec(keys)
                        .valueCodec(Codec.strings())
                        .pool(pool)
                        .build();
        return OffHeapCaffeine.asCaffeine((OffHeapCache<Object, String>) closing(cache), loader);
    }

    @ParameterizedTest
    @EnumSource
    void anyOperations_whileKeysAreLoaded_areThoseOfNumbers(Kind kind) {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        IntFunction<Object> keys =
                kind == Kind.ARRAYS
                        ? key -> new byte[] {(byte) key}
                        : key -> new Name(new byte[] {(byte) key});
        Loader loader = new Loader();
        Loader other = new Loader();
        LoadingCache<Object, String> cache =
                kind == Kind.ARRAYS
                        ? open(Codec.bytes(), loader)
                        : open(Codec.records(Name.class), loader);
        LoadingCache<Object, String> numbers = open(Codec.longs(), other);
        List<String> names = List.copyOf(OPERATIONS.keySet());
        Map<String, Integer> mix = new HashMap<>();
        for (int step = 0; step < STEPS; step++) {
            int key = random.nextInt(KEYS);
            int drawn = random.nextInt(3);
            String done;
            if (drawn == 0) {
                done = "refresh";
                CompletableFuture<String> _ = cache.refresh(keys.apply(key));
                CompletableFuture<String> _ = numbers.refresh((long) key);
                assertThat(loader.waiting).as("seed=%s", seed).hasSameSizeAs(other.waiting);
            } else if (drawn == 1 && !loader.waiting.isEmpty()) {
                done = "end";
                int index = random.nextInt(loader.waiting.size());
                String value = random.nextInt(4) == 0 ? null : "loaded " + step;
                loader.waiting.remove(index).complete(value);
                other.waiting.remove(index).complete(value);
            } else {
                done = names.get(random.nextInt(names.size()));
                String value = "put " + random.nextInt(2); // the same one comes back
                Operation operation = OPERATIONS.get(done);
                assertThat(operation.on(cache, keys, key, value))
                        .as("seed=%s done=%s", seed, done)
                        .isEqualTo(operation.on(numbers, each -> (long) each, key, value));
            }
            mix.merge(done, 1, Integer::sum);
            for (int each = 0; each < KEYS; each++) {
                assertThat(cache.getIfPresent(keys.apply(each)))
                        .as("seed=%s step=%s done=%s key=%s each=%s", seed, step, done, key, each)
                        .isEqualTo(numbers.getIfPresent((long) each));
            }
            assertThat(cache.policy().refreshes()).hasSameSizeAs(numbers.policy().refreshes());
        }
        assertThat(mix).as("seed=%s", seed).containsKeys(names.toArray(String[]::new));
        assertThat(mix.get("end")).as("seed=%s", seed).isGreaterThan(STEPS / 10);
    }

    /** A loader may make keys of its own. */
    @Test
    void getAll_whoseLoaderGivesOtherObjects_findsThemByTheirBytes() {
        byte[] one = {1};
        byte[] two = {2};
        byte[] three = {3};
        OffHeapCache<byte[], String> cache =
                closing(
                        OffHeapCache.<byte[], String>builder()
                                .keyCodec(Codec.bytes())
                                .valueCodec(Codec.strings())
                                .pool(pool)
                                .build());
        cache.put(new byte[] {1}, "one");
        Map<byte[], String> all =
                OffHeapCaffeine.asCaffeine(cache)
                        .getAll(
                                List.of(one, two, three),
                                missing -> {
                                    assertThat(Set.<byte[]>copyOf(missing))
                                            .isEqualTo(Set.of(two, three));
                                    return Map.of(two.clone(), "two", new byte[] {4}, "four");
                                });
        assertThat(all).isEqualTo(Map.of(one, "one", two, "two"));
        assertThat(cache.getIfPresent(two)).isEqualTo("two");
        assertThat(cache.getIfPresent(new byte[] {4})).isEqualTo("four");
    }
}
