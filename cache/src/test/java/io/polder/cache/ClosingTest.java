package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.MemoryPool;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Caches that are closed while threads do all that can be done with them: each operation gives an
 * answer, or says that the cache is closed.
 */
@Timeout(300)
class ClosingTest extends CacheFixture {
    private static final int THREADS = 4;
    private static final int ROUNDS = Boolean.getBoolean("polder.tests.full") ? 400 : 40;
    private static final int KEYS = 3000;
    private static final int LARGE = 5000;
    private static final String CLOSED = "the cache is closed";
    private static final String LOADER = "of the loader";

    @TempDir private Path folder;
    private final Queue<Throwable> wrong = new ConcurrentLinkedQueue<>();

    /** Rules by which an operation takes other ways. */
    private enum Rule {
        NONE,
        AFTER_WRITE,
        AFTER_ACCESS,
        SOONER_AFTER_READ,
        OWN_CODECS
    }

    /** Each read is followed by as much as a put. */
    private record SoonerAfterRead() implements Expiry<Long, String> {
        @Override
        public Duration afterWrite(Long key, String value) {
            return Duration.ofNanos(10_000);
        }

        @Override
        public Duration afterRead(Long key, String value) {
            return Duration.ofNanos(500);
        }
    }

    private interface Use {
        void of(OffHeapCache<Long, String> cache, long key, String value);
    }

    private OffHeapCacheBuilder<Long, String> builder(Rule rule) {
        OffHeapCacheBuilder<Long, String> builder = longs();
        Duration soon = Duration.ofNanos(500);
        return switch (rule) {
            case NONE -> builder;
            case AFTER_WRITE -> builder.expireAfterWrite(soon);
            case AFTER_ACCESS -> builder.expireAfterAccess(soon);
            case SOONER_AFTER_READ -> builder.expireAfter(new SoonerAfterRead());
            case OWN_CODECS ->
                    builder.keyCodec(Codec.of("key", key -> bytes("" + key), ClosingTest::number))
                            .valueCodec(Codec.of("value", ClosingTest::bytes, ClosingTest::string));
        };
    }

    private static byte[] bytes(String string) {
        return string.getBytes(StandardCharsets.UTF_8);
    }

    private static String string(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static long number(byte[] bytes) {
        return Long.parseLong(string(bytes));
    }

    private static String value(Random random) {
        return "v".repeat(1 + (random.nextInt(10) == 0 ? LARGE : random.nextInt(100)));
    }

    private static String throwing() {
        throw new IllegalStateException(LOADER);
    }

    /** Most operations, by the ways in which a program gets to them. */
    private List<Use> uses() {
        return List.of(
                (cache, key, _) -> cache.getIfPresent(key),
                (cache, key, value) -> cache.get(key, _ -> value),
                (cache, key, value) -> cache.get(key, _ -> cache.get(key + 1, _ -> value)),
                (cache, key, _) -> cache.get(key, _ -> throwing()),
                (cache, key, _) -> cache.getAllPresent(List.of(key, key + 1)),
                (cache, key, value) -> cache.getAll(List.of(key), _ -> Map.of(key, value)),
                OffHeapCache::put,
                (cache, key, value) -> cache.evictingLarge().put(key, value),
                (cache, key, value) -> cache.putAll(Map.of(key, value)),
                (cache, key, _) -> cache.read(key, MemorySegment::byteSize),
                (cache, key, _) -> cache.invalidate(key),
                (cache, key, _) -> cache.invalidateAll(List.of(key, key + 1)),
                (cache, key, _) -> seldom(key, cache::invalidateAll),
                (cache, _, _) -> cache.size(),
                (cache, _, _) -> cache.stats(),
                (cache, key, _) -> seldom(key, cache::cleanUp),
                (cache, key, _) -> seldom(key, () -> writeTo(cache, file(key))),
                (cache, key, _) -> seldom(key, () -> readFrom(cache, file(key))),
                (cache, key, value) -> useAsMap(cache.asMap(), key, value),
                (cache, key, value) -> computeAsMap(cache.asMap(), key, value),
                (cache, key, value) -> walk(cache.asMap(), key, value),
                (cache, key, _) -> usePolicy(cache.policy(), key),
                (cache, key, value) -> useLifetimes(cache, key, value));
    }

    private static void useAsMap(ConcurrentMap<Long, String> map, long key, String value) {
        switch ((int) (key % 10)) {
            case 0 -> map.put(key, value);
            case 1 -> map.putIfAbsent(key, value);
            case 2 -> map.remove(key);
            case 3 -> map.remove(key, value);
            case 4 -> map.replace(key, value);
            case 5 -> map.replace(key, value, value + "v");
            case 6 -> map.getOrDefault(key, value);
            case 7 -> assertThat(map.containsKey(key)).isIn(true, false);
            case 8 -> map.keySet().remove(key);
            default -> assertThat(map.entrySet().contains(Map.entry(key, value))).isIn(true, false);
        }
    }

    private static void computeAsMap(ConcurrentMap<Long, String> map, long key, String value) {
        switch ((int) (key % 5)) {
            case 0 -> map.computeIfAbsent(key, _ -> value);
            case 1 -> map.computeIfPresent(key, (_, _) -> value);
            case 2 -> map.compute(key, (_, old) -> old == null ? value : null);
            case 3 -> map.merge(key, value, String::concat);
            default -> map.compute(key, (_, _) -> throwing());
        }
    }

    private static void walk(ConcurrentMap<Long, String> map, long key, String value) {
        switch ((int) (key % 50)) {
            case 0 -> map.replaceAll((_, old) -> old);
            case 1 -> assertThat(map.values().stream().count()).isNotNegative();
            case 2 -> assertThat(map.containsValue(value)).isIn(true, false);
            case 3 -> assertThat(map.equals(Map.of())).isIn(true, false);
            case 4 -> walk(map.values().iterator());
            case 5 -> walk(map.keySet().iterator());
            default -> walk(map.entrySet().iterator());
        }
    }

    private static <T> void walk(Iterator<T> all) {
        for (int i = 0; i < 50 && all.hasNext(); i++) {
            T _ = all.next();
            if (i % 10 == 0) {
                all.remove();
            }
        }
    }

    private static void usePolicy(CachePolicy<Long, String> policy, long key) {
        policy.getIfPresentQuietly(key);
        policy.keyBytes(key);
        policy.bytesOf(key);
        policy.expiresIn(key);
        seldom(key, () -> policy.setMaximumEntries(1 + key));
        seldom(key + 1, () -> policy.setMaximumBytes(16L << 20));
        seldom(key + 2, () -> policy.hottest(3));
        seldom(key + 3, () -> policy.youngest(3));
    }

    private static void useLifetimes(OffHeapCache<Long, String> cache, long key, String value) {
        if (cache.policy().expireAfterWrite().or(cache.policy()::expireAfterAccess).isPresent()) {
            Duration lifetime = Duration.ofNanos(key);
            cache.put(key, value, lifetime);
            cache.putIfAbsent(key + 1, value, lifetime);
            cache.compute(key, (_, _) -> value, lifetime);
            cache.policy().setExpiresIn(key, lifetime.dividedBy(2));
        }
    }

    private static void seldom(long key, Runnable use) {
        if (key % 50 == 0) {
            use.run();
        }
    }

    private Path file(long key) {
        return folder.resolve("cache" + key % 3);
    }

    private static void writeTo(OffHeapCache<Long, String> cache, Path file) {
        try {
            long _ = cache.writeTo(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void readFrom(OffHeapCache<Long, String> cache, Path file) {
        try {
            if (Files.exists(file)) {
                long _ = cache.readFrom(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether it was refused. */
    private boolean isRefused(Runnable use) {
        try {
            use.run();
            return false;
        } catch (IllegalStateException thrown) {
            boolean isClosed = CLOSED.equals(thrown.getMessage());
            if (!isClosed && !LOADER.equals(thrown.getMessage())) {
                wrong.add(thrown);
            }
            return isClosed;
        } catch (RuntimeException | Error other) {
            wrong.add(other);
            return true;
        }
    }

    /** One refusal would do, but others come later, and by other ways. */
    private void useUntilClosed(OffHeapCache<Long, String> cache, Random random) {
        List<Use> uses = uses();
        for (int refused = 0; refused < 50; ) {
            clock.incrementAndGet();
            Use use = uses.get(random.nextInt(uses.size()));
            long key = random.nextInt(KEYS);
            refused += isRefused(() -> use.of(cache, key, value(random))) ? 1 : 0;
        }
    }

    private OffHeapCache<Long, String> listenedTo(OffHeapCacheBuilder<Long, String> builder) {
        List<OffHeapCache<Long, String>> built = new ArrayList<>();
        builder.removalListener(
                (key, _, _) -> {
                    boolean _ = isRefused(() -> built.getFirst().getIfPresent(key));
                });
        built.add(builder.build());
        return built.getFirst();
    }

    @ParameterizedTest
    @EnumSource
    void close_whileAllIsDone_isSaidByWhatIsRefused(Rule rule) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            long seed = new Random().nextLong();
            Random random = new Random(seed);
            OffHeapCacheBuilder<Long, String> builder =
                    builder(rule).maximumEntries(1 + random.nextInt(2 * KEYS));
            OffHeapCache<Long, String> cache =
                    random.nextBoolean() ? listenedTo(builder) : builder.build();
            try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
                List<Future<?>> running = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    Random own = new Random(random.nextLong());
                    running.add(threads.submit(() -> useUntilClosed(cache, own)));
                }
                try {
                    TimeUnit.MICROSECONDS.sleep(random.nextInt(20_000));
                } finally {
                    cache.close(); // which is what ends the others
                }
                for (Future<?> each : running) {
                    each.get();
                }
            }
            @Nullable Throwable first = wrong.peek();
            if (first != null) {
                throw new AssertionError("seed=" + seed, first);
            }
        }
    }

    /** Who closes the pool first cannot put any more; the rest goes on till the cache is closed. */
    @ParameterizedTest
    @EnumSource
    void poolThatIsClosedFirst_isSaidByPutsAlone(Rule rule) {
        try (OffHeapCache<Long, String> cache = builder(rule).build()) {
            for (long key = 0; key < KEYS; key++) {
                cache.put(key, "v");
            }
            pool.close();
            assertThat(cache.getIfPresent(KEYS - 1L)).isEqualTo("v");
            assertThatThrownBy(() -> cache.put(-1L, "v"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("the pool is closed");
            assertThat(cache.getIfPresent(-1L)).isNull();
            cache.asMap().keySet().removeIf(key -> key % 2 == 0);
            cache.invalidate(1L);
            cache.cleanUp();
            assertThat(cache.size()).isLessThan(KEYS / 2);
            CacheCheck.verify(cache.store());
        }
    }

    /** What needs no memory, or goes on without. */
    private List<Use> usesWithoutPuts() {
        return List.of(
                (cache, key, _) -> cache.getIfPresent(key),
                (cache, key, _) -> cache.get(key, _ -> null),
                (cache, key, _) -> cache.getAllPresent(List.of(key, key + 1)),
                (cache, key, _) -> cache.getAll(List.of(key), _ -> Map.of()),
                (cache, key, _) -> cache.read(key, MemorySegment::byteSize),
                (cache, key, _) -> cache.invalidate(key),
                (cache, key, _) -> cache.invalidateAll(List.of(key, key + 1)),
                (cache, key, _) -> seldom(key, cache::invalidateAll),
                (cache, _, _) -> cache.size(),
                (cache, _, _) -> cache.stats(),
                (cache, key, _) -> seldom(key, cache::cleanUp),
                (cache, key, _) -> seldom(key, () -> writeTo(cache, file(key))),
                (cache, key, value) -> useAsMap(cache.asMap(), key / 10 * 10 + 2 + key % 2, value),
                (cache, key, value) -> useAsMap(cache.asMap(), key / 10 * 10 + 6 + key % 4, value),
                (cache, key, _) -> cache.asMap().compute(key, (_, _) -> null),
                (cache, key, _) -> cache.asMap().computeIfPresent(key, (_, _) -> null),
                (cache, key, value) -> walk(cache.asMap(), 1 + key % 49, value),
                (cache, key, _) -> usePolicy(cache.policy(), key),
                (cache, key, value) ->
                        seldom(
                                key,
                                () -> {
                                    if (cache.policy().expireAfterAccess().isPresent()) {
                                        cache.policy().setExpiresIn(key, Duration.ofNanos(9));
                                    }
                                }));
    }

    /** Puts of one key, of which those that need memory are refused. */
    private static List<Use> puts() {
        return List.of(
                OffHeapCache::put,
                (cache, key, value) -> cache.evictingLarge().put(key, value),
                (cache, key, value) -> cache.putAll(Map.of(key, value)),
                (cache, key, value) -> cache.get(key, _ -> value),
                (cache, key, value) -> cache.getAll(List.of(key), _ -> Map.of(key, value)),
                (cache, key, value) -> cache.asMap().put(key, value),
                (cache, key, value) -> cache.asMap().putIfAbsent(key, value),
                (cache, key, value) -> cache.asMap().replace(key, value),
                (cache, key, value) -> cache.asMap().merge(key, value, String::concat),
                (cache, key, value) -> cache.asMap().compute(key, (_, _) -> value));
    }

    /** Returns whether it was refused. */
    private static boolean putIntoClosedPool(
            OffHeapCache<Long, String> cache, long key, String value, Use put) {
        @Nullable String before = cache.policy().getIfPresentQuietly(key);
        try {
            put.of(cache, key, value);
            return false;
        } catch (IllegalStateException refused) {
            assertThat(refused).hasMessageStartingWith("the pool is closed");
            assertThat(cache.policy().getIfPresentQuietly(key)).isEqualTo(before);
            return true;
        }
    }

    /** The same of all operations; what a read is to expire sooner by is as without memory. */
    @ParameterizedTest
    @EnumSource
    void poolThatIsClosedFirst_isSaidByPutsAlone_whateverElseIsDone(Rule rule) {
        int refused = 0;
        for (int round = 0; round < ROUNDS / 10; round++) {
            long seed = new Random().nextLong();
            Random random = new Random(seed);
            MemoryPool closed = MemoryPool.builder().name("cache-closed-first").build();
            try (OffHeapCache<Long, String> cache = builder(rule).pool(closed).build()) {
                int entries = random.nextInt(2 * KEYS);
                for (int i = 0; i < entries; i++) {
                    cache.put((long) random.nextInt(KEYS), value(random));
                }
                closed.close();
                List<Use> uses = usesWithoutPuts();
                List<Use> puts = puts();
                for (int i = 0; i < 5000; i++) {
                    clock.getAndAdd(random.nextInt(3));
                    long key = random.nextInt(KEYS);
                    if (random.nextInt(4) == 0) {
                        Use put = puts.get(random.nextInt(puts.size()));
                        refused += putIntoClosedPool(cache, key, value(random), put) ? 1 : 0;
                    } else {
                        uses.get(random.nextInt(uses.size())).of(cache, key, value(random));
                    }
                }
                CacheCheck.verify(cache.store());
            } catch (RuntimeException | AssertionError thrown) {
                throw new AssertionError("seed=" + seed, thrown);
            }
            assertThat(closed.stats().pages().takenBytes()).isZero();
        }
        assertThat(refused).isPositive();
    }

    /** Only where the pool is closed that is no error. */
    @Test
    void resize_ofAnIndexThatWentBack_isRefused() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            Store store = cache.store();
            store.counts.entries.set(1 << 20);
            store.lines.close();
            assertThatThrownBy(store::resize).isInstanceOf(IllegalStateException.class);
        }
    }

    /** Only where the cache is closed has it nothing to give; else its clock may have failed. */
    @Test
    void free_ofACacheThatIsOpen_throwsWhatItsClockThrows() {
        boolean[] fails = new boolean[1];
        OffHeapCacheBuilder<Long, String> builder =
                longs().expireAfterWrite(Duration.ofDays(1))
                        .ticker(
                                () -> {
                                    if (fails[0]) {
                                        throw new IllegalStateException("by the test");
                                    }
                                    return 0;
                                });
        Shrinking shrinking;
        try (OffHeapCache<Long, String> cache = builder.build()) {
            for (long key = 0; key < KEYS; key++) {
                cache.put(key, "a");
            }
            shrinking = cache.store().shrinking;
            fails[0] = true;
            assertThatThrownBy(() -> shrinking.free(1)).hasMessage("by the test");
        }
        assertThat(shrinking.free(1)).isZero();
    }

    /** The index would grow, as where there was no memory before. */
    @Test
    void invalidate_thePoolIsClosedAndTheIndexLate_isDone() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(1L, "a");
            pool.close();
            cache.store().counts.entries.set(1 << 20);
            for (long key = 0; key < KEYS; key++) {
                cache.invalidate(key);
            }
            cache.store().counts.entries.set(0);
            assertThat(cache.getIfPresent(1L)).isNull();
        }
    }
}
