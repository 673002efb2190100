package io.polder.cache.caffeine;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.cache.OffHeapCache;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.Spliterator;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Keys, values and entries of the maps of a cache, and of those that Caffeine's interfaces give.
 * Their size counts what has expired and was not removed yet, and others change it at any time.
 * What goes through them meets what is there all the same.
 */
class PartsOfMapTest extends ContenderFixture {
    private static final long LIFETIME = 100;
    private static final long KEYS = 60;
    private static final int STEPS = 1000;
    private static final int CHECK_EVERY = 20;
    private static final int LOOKS = 50;

    enum Shown {
        OFF_HEAP,
        CAFFEINE,
        LOADING;

        ConcurrentMap<Long, String> map(OffHeapCache<Long, String> cache) {
            return switch (this) {
                case OFF_HEAP -> cache.asMap();
                case CAFFEINE -> OffHeapCaffeine.asCaffeine(cache).asMap();
                case LOADING -> OffHeapCaffeine.asCaffeine(cache, key -> "loaded " + key).asMap();
            };
        }
    }

    /** Ways to have all that is in a collection. */
    private static final Map<String, Function<Collection<?>, Collection<?>>> WAYS =
            new LinkedHashMap<>();

    private static final Comparator<Object> BY_TEXT = Comparator.comparing(Object::toString);

    static {
        WAYS.put(
                "iterator",
                all -> {
                    List<Object> met = new ArrayList<>();
                    for (Object each : all) {
                        met.add(each);
                    }
                    return met;
                });
        WAYS.put(
                "forEach",
                all -> {
                    List<Object> met = new ArrayList<>();
                    all.forEach(met::add);
                    return met;
                });
        WAYS.put("toArray", all -> Arrays.asList(all.toArray()));
        WAYS.put("toArray of a type", all -> Arrays.asList(all.toArray(new Object[0])));
        WAYS.put("toArray of a function", all -> Arrays.asList(all.toArray(Object[]::new)));
        WAYS.put("ArrayList", ArrayList::new);
        WAYS.put("ArrayDeque", ArrayDeque::new);
        WAYS.put("List.copyOf", List::copyOf);
        WAYS.put("stream", all -> all.stream().toList());
        WAYS.put("stream, array", all -> Arrays.asList(all.stream().toArray()));
        WAYS.put("stream, mapped", all -> all.stream().map(each -> (Object) each).toList());
        WAYS.put("stream, sorted", all -> all.stream().sorted(BY_TEXT).toList());
        WAYS.put("stream, limited", all -> all.stream().limit(Long.MAX_VALUE).toList());
        WAYS.put("stream, collected", all -> all.stream().collect(Collectors.toList()));
        WAYS.put("parallel", all -> all.parallelStream().toList());
        WAYS.put("parallel, array", all -> Arrays.asList(all.parallelStream().toArray()));
        WAYS.put("parallel, sorted", all -> all.parallelStream().sorted(BY_TEXT).toList());
        WAYS.put(
                "spliterator",
                all -> {
                    List<Object> met = new ArrayList<>();
                    Spliterator<?> rest = all.spliterator();
                    Spliterator<?> some = rest.trySplit();
                    if (some != null) {
                        some.forEachRemaining(met::add);
                    }
                    rest.forEachRemaining(met::add);
                    return met;
                });
    }

    private record Known(String value, long deadline) {}

    private final Map<Long, Known> model = new HashMap<>();
    private int expiredAndThere;

    private Map<Long, String> live() {
        Map<Long, String> live = new HashMap<>();
        model.forEach(
                (key, known) -> {
                    if (known.deadline > clock.get()) {
                        live.put(key, known.value);
                    }
                });
        return live;
    }

    @ParameterizedTest
    @EnumSource
    void parts_whateverHasExpired_areWhatIsThere(Shown shown) {
        long seed = new Random().nextLong();
        try (OffHeapCache<Long, String> cache =
                longs().expireAfterWrite(Duration.ofNanos(LIFETIME)).build()) {
            Random random = new Random(seed);
            ConcurrentMap<Long, String> map = shown.map(cache);
            for (int step = 0; step < STEPS; step++) {
                change(map, cache, random);
                if (step % CHECK_EVERY == 0) {
                    check(map);
                }
            }
        } catch (Throwable thrown) {
            throw new AssertionError("seed=" + seed + ", shown=" + shown, thrown);
        }
        assertThat(expiredAndThere).as("checks where the size is too large").isGreaterThan(5);
    }

    private void change(
            ConcurrentMap<Long, String> map, OffHeapCache<Long, String> cache, Random random) {
        long key = random.nextLong(KEYS);
        String value = "v" + random.nextInt(3);
        switch (random.nextInt(24)) {
            case 0 -> clock.addAndGet(random.nextLong(LIFETIME));
            case 1 -> {
                cache.put(key, value, Duration.ofNanos(3));
                model.put(key, new Known(value, clock.get() + 3));
            }
            case 2 -> {
                assertThat(map.keySet().remove(key)).isEqualTo(live().containsKey(key));
                model.remove(key);
            }
            case 3 -> {
                map.keySet().removeIf(each -> each % 5 == key % 5);
                model.keySet().removeIf(each -> each % 5 == key % 5);
            }
            case 4 -> {
                Set<Long> gone = keys(random);
                boolean expected = live().keySet().removeAll(gone);
                assertThat(map.keySet().removeAll(gone)).isEqualTo(expected);
                model.keySet().removeAll(gone);
            }
            case 5 -> {
                Set<Long> gone = keys(random);
                boolean expected = live().keySet().removeAll(gone);
                assertThat(map.entrySet().removeIf(each -> gone.contains(each.getKey())))
                        .isEqualTo(expected);
                model.keySet().removeAll(gone);
            }
            case 6 -> {
                Set<Long> kept = keys(random);
                kept.addAll(keys(random));
                boolean expected = live().keySet().retainAll(kept);
                assertThat(map.keySet().retainAll(kept)).isEqualTo(expected);
                model.keySet().retainAll(kept);
            }
            case 7 -> {
                boolean expected = live().values().removeAll(List.of(value));
                assertThat(map.values().removeAll(List.of(value))).isEqualTo(expected);
                model.values().removeIf(each -> each.value.equals(value));
            }
            default -> {
                map.put(key, value);
                model.put(key, new Known(value, clock.get() + LIFETIME));
            }
        }
    }

    private static Set<Long> keys(Random random) {
        int count = random.nextInt(4) == 0 ? (int) (2 * KEYS) : random.nextInt(8);
        return random.longs(count, 0, KEYS).boxed().collect(Collectors.toCollection(HashSet::new));
    }

    private void check(ConcurrentMap<Long, String> map) {
        Map<Long, String> live = live();
        if (map.size() > live.size()) {
            expiredAndThere++;
        }
        checkPart(map.keySet(), live.keySet());
        checkPart(map.values(), live.values());
        checkPart(map.entrySet(), live.entrySet());
        assertThat(map.hashCode()).isEqualTo(live.hashCode());
        assertThat(map.keySet().hashCode()).isEqualTo(live.keySet().hashCode());
        assertThat(map.entrySet().hashCode()).isEqualTo(live.entrySet().hashCode());
        assertThat(new HashMap<>(map)).isEqualTo(live);
        assertThat(Map.copyOf(map)).isEqualTo(live);
        checkEquals(map, live);
    }

    /** What is compared with other maps and sets, and with those of a cache of the same entries. */
    private void checkEquals(ConcurrentMap<Long, String> map, Map<Long, String> live) {
        assertThat(map.equals(live)).isTrue();
        assertThat(map.keySet().equals(live.keySet())).isTrue();
        assertThat(map.entrySet().equals(live.entrySet())).isTrue();
        Map<Long, String> other = new HashMap<>(live);
        other.put(KEYS, "of another key");
        checkNotEqual(map, other);
        other.remove(KEYS);
        live.keySet().stream().findAny().ifPresent(other::remove);
        if (!live.isEmpty()) {
            checkNotEqual(map, other);
            other.put(KEYS, "of another key");
            checkNotEqual(map, other);
            live.keySet().forEach(key -> other.put(key, "another value"));
            other.remove(KEYS);
            assertThat(map.equals(other)).isFalse();
            assertThat(map.keySet().equals(other.keySet())).isTrue();
            assertThat(map.entrySet().equals(other.entrySet())).isFalse();
            Map<?, ?> ofAnotherClass = Map.of("of another", "class");
            assertThat(map.equals(ofAnotherClass)).isFalse();
            assertThat(map.equals(new ConcurrentSkipListMap<>(ofAnotherClass))).isFalse();
        }
        try (OffHeapCache<Long, String> cache =
                longs().expireAfterWrite(Duration.ofNanos(LIFETIME)).build()) {
            cache.put(2 * KEYS, "expires", Duration.ZERO);
            cache.putAll(live);
            for (Shown shown : Shown.values()) {
                ConcurrentMap<Long, String> same = shown.map(cache);
                assertThat(map.equals(same)).isTrue();
                assertThat(same.equals(map)).isTrue();
                assertThat(map.keySet().equals(same.keySet())).isTrue();
                assertThat(map.entrySet().equals(same.entrySet())).isTrue();
                assertThat(map.hashCode()).isEqualTo(same.hashCode());
            }
            cache.put(KEYS, "of another key");
            checkNotEqual(map, cache.asMap());
        }
    }

    private static void checkNotEqual(Map<Long, String> map, Map<Long, String> other) {
        assertThat(map.equals(other)).isFalse();
        assertThat(map.keySet().equals(other.keySet())).isFalse();
        assertThat(map.entrySet().equals(other.entrySet())).isFalse();
    }

    private static <T> void checkPart(Collection<T> part, Collection<T> expected) {
        WAYS.forEach(
                (way, all) ->
                        assertThat(new ArrayList<Object>(all.apply(part)))
                                .as(way)
                                .containsExactlyInAnyOrderElementsOf(expected));
        assertThat(part.stream().count()).isEqualTo(expected.size());
        assertThat(part.containsAll(expected)).isTrue();
        assertThat(part).hasToString(new ArrayList<>(part).toString());
        Object[] longer = new Object[part.size() + 2];
        Arrays.fill(longer, "rest");
        assertThat(part.toArray(longer)).isSameAs(longer);
        assertThat(longer[expected.size()]).as("after the last").isNull();
        assertThat(longer[longer.length - 1]).isEqualTo("rest");
    }

    /** Keys that are odd come and go; the others are there all the time. */
    @ParameterizedTest
    @EnumSource
    void parts_whileOthersChangeThem_haveWhatStaysAndNoNulls(Shown shown) throws Exception {
        AtomicBoolean stops = new AtomicBoolean();
        long seed = new Random().nextLong();
        try (OffHeapCache<Long, String> cache = longs().build()) {
            List<Long> staying =
                    LongStream.range(0, KEYS).filter(key -> key % 2 == 0).boxed().toList();
            staying.forEach(key -> cache.put(key, "stays"));
            Thread other =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        Random random = new Random(seed);
                                        while (!stops.get()) {
                                            long odd = 2 * random.nextLong(KEYS) + 1;
                                            if (random.nextBoolean()) {
                                                cache.put(odd, "goes");
                                            } else {
                                                cache.invalidate(odd);
                                            }
                                        }
                                    });
            try {
                for (int i = 0; i < LOOKS; i++) {
                    look(shown.map(cache), staying);
                }
            } finally {
                stops.set(true);
                other.join();
            }
        }
    }

    private static void look(ConcurrentMap<Long, String> map, List<Long> staying) {
        WAYS.forEach(
                (way, all) -> {
                    Collection<?> keys = all.apply(map.keySet());
                    assertThat(new HashSet<>(keys).containsAll(staying)).as(way).isTrue();
                    assertThat(keys.stream().allMatch(Long.class::isInstance)).as(way).isTrue();
                    assertThat(all.apply(map.values()).stream().filter("stays"::equals).count())
                            .as(way)
                            .isEqualTo(staying.size());
                    assertThat(
                                    all.apply(map.entrySet()).stream()
                                            .allMatch(Map.Entry.class::isInstance))
                            .as(way)
                            .isTrue();
                });
    }
}
