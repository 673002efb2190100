package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;

/**
 * All operations at random, beside a map that knows when entries expire. Where the cache evicts, it
 * may have less than the map, and never something else.
 */
class CacheModelTest extends CacheFixture {
    private static final int STEPS = 40_000;
    private static final long KEYS = 700;
    private static final long LIFETIME = 1000;

    enum Shape {
        PLAIN,
        EXPIRES_AFTER_WRITE,
        EXPIRES_AFTER_ACCESS,
        EVICTS,
        ALL_COLLIDE
    }

    private enum Operation {
        GET,
        PUT,
        PUT_AGED,
        PUT_IF_ABSENT,
        REMOVE,
        REMOVE_VALUE,
        REPLACE,
        REPLACE_VALUE,
        LOAD,
        COMPUTE,
        COMPUTE_IF_PRESENT,
        MERGE,
        READ,
        CONTAINS,
        GET_ALL,
        ITERATE,
        CLEAR,
        CLEAN_UP,
        TIME
    }

    private record Known(String value, long deadline) {}

    private final Map<Long, Known> model = new HashMap<>();
    private final Map<Operation, Integer> done = new EnumMap<>(Operation.class);
    private Shape shape = Shape.PLAIN;

    private @Nullable String known(long key) {
        Known known = model.get(key);
        if (known != null && known.deadline <= clock.get()) {
            model.remove(key);
            return null;
        }
        return known == null ? null : known.value;
    }

    private void put(long key, String value) {
        boolean expires = shape == Shape.EXPIRES_AFTER_WRITE || shape == Shape.EXPIRES_AFTER_ACCESS;
        model.put(key, new Known(value, expires ? clock.get() + LIFETIME : Long.MAX_VALUE));
    }

    private void touch(long key) {
        String value = known(key);
        if (shape == Shape.EXPIRES_AFTER_ACCESS && value != null) {
            put(key, value);
        }
    }

    /** What the cache says of a key must be so; after an eviction the map is told. */
    private void same(long key, @Nullable Object said) {
        String expected = known(key);
        if (said == null && shape == Shape.EVICTS) {
            model.remove(key);
        } else {
            assertThat(said).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anyOperations_areThoseOfAMap(Shape tried) {
        shape = tried;
        long seed = new Random().nextLong();
        try {
            run(seed);
        } catch (Throwable thrown) {
            throw new AssertionError("seed=" + seed + ", shape=" + tried, thrown);
        }
    }

    @Test
    void anyOperations_ofOneSeed_areThoseOfAMap() {
        shape = Shape.EXPIRES_AFTER_WRITE;
        run(42);
    }

    private void run(long seed) {
        Random random = new Random(seed);
        OffHeapCacheBuilder<Long, String> builder = longs();
        switch (shape) {
            case EXPIRES_AFTER_WRITE -> builder.expireAfterWrite(Duration.ofNanos(LIFETIME));
            case EXPIRES_AFTER_ACCESS -> builder.expireAfterAccess(Duration.ofNanos(LIFETIME));
            case EVICTS -> builder.maximumEntries(200);
            case ALL_COLLIDE -> builder.hash((_, _) -> 5);
            case PLAIN -> {}
        }
        try (OffHeapCache<Long, String> cache = builder.build()) {
            for (int step = 0; step < STEPS; step++) {
                step(cache, random);
                if (step % 5000 == 0) {
                    CacheCheck.verify(cache.store());
                }
            }
            CacheCheck.verify(cache.store());
            for (Operation each : Operation.values()) {
                if (each != Operation.PUT_AGED || shape == Shape.EXPIRES_AFTER_WRITE) {
                    assertThat(done.getOrDefault(each, 0)).as("%s", each).isGreaterThan(5);
                }
            }
        }
    }

    private static String value(Random random) {
        int kind = random.nextInt(100);
        int length = kind == 0 ? 20_000 : kind < 3 ? 4090 + random.nextInt(20) : random.nextInt(60);
        String letter = kind % 7 == 0 ? "\u20ac" : "\u00e4";
        return letter.repeat(length) + random.nextInt(3);
    }

    private void step(OffHeapCache<Long, String> cache, Random random) {
        Operation[] all = Operation.values();
        Operation operation = all[random.nextInt(all.length)];
        boolean isRare =
                operation == Operation.CLEAR
                        || operation == Operation.CLEAN_UP
                        || operation == Operation.ITERATE;
        if (isRare && random.nextInt(100) > 0) {
            operation = Operation.PUT;
        }
        long key = random.nextLong(KEYS) * 0x1_0000_0001L;
        done.merge(operation, 1, Integer::sum);
        doIt(operation, cache, key, random);
    }

    @SuppressWarnings("EnumOrdinal")
    private void doIt(
            Operation operation, OffHeapCache<Long, String> cache, long key, Random random) {
        ConcurrentMap<Long, String> map = cache.asMap();
        String value = value(random);
        String before = known(key);
        switch (operation) {
            case GET -> {
                same(key, cache.getIfPresent(key));
                touch(key);
            }
            case CONTAINS -> {
                if (shape != Shape.EVICTS) {
                    assertThat(map.containsKey(key)).isEqualTo(before != null);
                }
            }
            case PUT -> {
                cache.put(key, value);
                put(key, value);
            }
            case PUT_AGED -> {
                if (shape == Shape.EXPIRES_AFTER_WRITE) {
                    cache.put(key, value, Duration.ofNanos(10));
                    model.put(key, new Known(value, clock.get() + 10));
                }
            }
            case PUT_IF_ABSENT -> {
                String was = map.putIfAbsent(key, value);
                same(key, was);
                touch(key);
                if (was == null) {
                    put(key, value);
                }
            }
            case REMOVE -> {
                same(key, map.remove(key));
                model.remove(key);
            }
            case REMOVE_VALUE -> {
                boolean right = random.nextBoolean() && before != null;
                boolean removed = map.remove(key, right ? before : "not this");
                checkIf(key, right, removed);
                if (removed) {
                    model.remove(key);
                }
            }
            case REPLACE -> {
                String was = map.replace(key, value);
                same(key, was);
                if (was != null) {
                    put(key, value);
                }
            }
            case REPLACE_VALUE -> {
                boolean right = random.nextBoolean() && before != null;
                boolean replaced = map.replace(key, right ? before : "not this", value);
                checkIf(key, right, replaced);
                if (replaced) {
                    put(key, value);
                }
            }
            case LOAD -> {
                boolean[] loaded = new boolean[1];
                String got =
                        cache.get(
                                key,
                                _ -> {
                                    loaded[0] = true;
                                    return value;
                                });
                if (loaded[0]) {
                    same(key, null);
                    put(key, value);
                } else {
                    same(key, got);
                    touch(key);
                }
            }
            case COMPUTE -> {
                boolean removes = random.nextInt(3) == 0;
                String got =
                        map.compute(
                                key,
                                (_, known) -> {
                                    same(key, known);
                                    return removes ? null : value;
                                });
                assertThat(got).isEqualTo(removes ? null : value);
                putOrRemove(key, got);
            }
            case COMPUTE_IF_PRESENT -> {
                boolean[] called = new boolean[1];
                String got =
                        map.computeIfPresent(
                                key,
                                (_, known) -> {
                                    same(key, known);
                                    called[0] = true;
                                    return value;
                                });
                assertThat(got).isEqualTo(called[0] ? value : null);
                if (!called[0]) {
                    same(key, null);
                }
                putOrRemove(key, got);
            }
            case MERGE -> {
                boolean[] merged = new boolean[1];
                String got =
                        map.merge(
                                key,
                                value,
                                (known, _) -> {
                                    merged[0] = true;
                                    return known + "+";
                                });
                if (!merged[0]) {
                    same(key, null);
                } else {
                    assertThat(got).isEqualTo(before + "+");
                }
                put(key, got);
            }
            case READ -> {
                Long bytes = cache.read(key, segment -> segment.byteSize());
                same(key, bytes == null ? null : before);
                if (bytes != null) {
                    assertThat(bytes)
                            .isEqualTo(Codec.strings().size(Objects.requireNonNull(before)));
                }
                touch(key);
            }
            case GET_ALL -> {
                List<Long> keys = List.of(key, key + 1_000_000);
                Set<Long> asked = new HashSet<>();
                Map<Long, String> got =
                        cache.getAll(
                                keys,
                                missing -> {
                                    Map<Long, String> loaded = new HashMap<>();
                                    missing.forEach(each -> loaded.put(each, value));
                                    asked.addAll(missing);
                                    return loaded;
                                });
                assertThat(got.keySet()).containsExactlyElementsOf(keys);
                if (asked.contains(key)) {
                    same(key, null);
                    put(key, value);
                } else {
                    same(key, got.get(key));
                    touch(key);
                }
                cache.invalidate(key + 1_000_000);
            }
            case ITERATE -> {
                Map<Long, String> seen = new HashMap<>();
                map.forEach((k, v) -> assertThat(seen.put(k, v)).as("twice: %s", k).isNull());
                for (long each = 0; each < KEYS; each++) {
                    same(each * 0x1_0000_0001L, seen.remove(each * 0x1_0000_0001L));
                }
                assertThat(seen).isEmpty();
            }
            case CLEAR -> {
                cache.invalidateAll();
                model.clear();
                assertThat(cache.size()).isZero();
            }
            case CLEAN_UP -> {
                cache.cleanUp();
                model.values().removeIf(each -> each.deadline <= clock.get());
                if (shape != Shape.EVICTS) {
                    assertThat(cache.size()).isEqualTo(model.size());
                } else {
                    assertThat(cache.size()).isLessThanOrEqualTo(200);
                }
            }
            case TIME -> clock.addAndGet(random.nextInt(40));
        }
    }

    private void checkIf(long key, boolean expected, boolean happened) {
        if (expected && !happened && shape == Shape.EVICTS) {
            model.remove(key);
        } else {
            assertThat(happened).isEqualTo(expected);
        }
    }

    private void putOrRemove(long key, @Nullable String value) {
        if (value == null) {
            model.remove(key);
        } else {
            put(key, value);
        }
    }
}
