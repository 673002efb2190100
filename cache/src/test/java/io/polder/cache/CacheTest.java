package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** What each method promises, bad input included. */
class CacheTest extends CacheFixture {
    private record Told(Long key, String value, RemovalCause cause) {}

    private final List<Told> told = new ArrayList<>();

    @Test
    void removalListener_isToldTheCause() {
        OffHeapCacheBuilder<Long, String> builder =
                longs().expireAfterWrite(Duration.ofNanos(100))
                        .maximumEntries(3)
                        .removalListener((k, v, cause) -> told.add(new Told(k, v, cause)));
        try (OffHeapCache<Long, String> cache = builder.build()) {
            cache.put(1L, "a");
            cache.put(1L, "b");
            assertThat(told).containsExactly(new Told(1L, "a", RemovalCause.REPLACED));
            cache.invalidate(1L);
            assertThat(told).last().isEqualTo(new Told(1L, "b", RemovalCause.EXPLICIT));
            cache.put(2L, "c");
            clock.addAndGet(100);
            assertThat(cache.getIfPresent(2L)).isNull();
            assertThat(told).last().isEqualTo(new Told(2L, "c", RemovalCause.EXPIRED));
            for (long key = 10; key < 20; key++) {
                cache.put(key, "d");
            }
            assertThat(cache.size()).isEqualTo(3);
            assertThat(told.stream().filter(each -> each.cause == RemovalCause.SIZE)).hasSize(7);
        }
    }

    @Test
    void listener_thatThrows_harmsNobody() {
        OffHeapCacheBuilder<Long, String> builder =
                longs().removalListener(
                                (_, _, _) -> {
                                    throw new IllegalStateException("thrown by the test");
                                });
        try (OffHeapCache<Long, String> cache = builder.build()) {
            cache.put(1L, "a");
            cache.put(1L, "b");
            cache.invalidate(1L);
            assertThat(cache.size()).isZero();
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void loader_thatThrowsOrReturnsNullOrCallsTheCache_isFollowed() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            assertThatThrownBy(
                            () ->
                                    cache.get(
                                            1L,
                                            _ -> {
                                                throw new IllegalArgumentException("no value");
                                            }))
                    .hasMessage("no value");
            assertThat(cache.get(1L, _ -> null)).isNull();
            assertThat(cache.get(1L, key -> cache.get(key + 1, _ -> "two") + "!"))
                    .isEqualTo("two!");
            assertThat(cache.getIfPresent(2L)).isEqualTo("two");
            assertThatThrownBy(() -> cache.get(3L, key -> cache.get(key, _ -> "x")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("its own key");
            assertThatThrownBy(
                            () ->
                                    cache.asMap()
                                            .compute(
                                                    1L,
                                                    (key, _) -> {
                                                        cache.put(key, "x");
                                                        return "y";
                                                    }))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(cache.getIfPresent(1L)).isEqualTo("two!");
            assertThat(cache.stats().loadFailures()).isEqualTo(3);
            assertThat(cache.stats().loads()).isEqualTo(2);
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void oversizeEntry_failsAloneAndEvictsNothing() {
        try (OffHeapCache<Long, byte[]> cache =
                OffHeapCache.<Long, byte[]>builder()
                        .keyCodec(Codec.longs())
                        .valueCodec(Codec.bytes())
                        .pool(pool)
                        .maximumBytes(16 << 20)
                        .build()) {
            cache.put(1L, new byte[100]);
            cache.put(2L, new byte[100]);
            assertThatThrownBy(() -> cache.put(1L, new byte[2 << 20]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("an eighth of maximumBytes");
            assertThat(cache.get(3L, _ -> new byte[3 << 20])).hasSize(3 << 20);
            assertThat(cache.getIfPresent(3L)).isNull();
            assertThat(cache.stats().refusedPuts()).isEqualTo(1);
            assertThat(cache.size()).isEqualTo(2);
            assertThat(cache.stats().evictions()).isZero();
            cache.put(4L, new byte[1 << 20]);
            assertThat(cache.getIfPresent(4L)).hasSize(1 << 20);
        }
    }

    /** Says 8 bytes, and does as its field says. */
    private static final class LyingCodec implements Codec<String> {
        private String lie = "";
        private MemorySegment kept = MemorySegment.NULL;

        @Override
        public long size(String value) {
            return lie.equals("negative") ? -1 : lie.equals("large") ? 5000 : 8;
        }

        @Override
        public void write(String value, MemorySegment to) {
            switch (lie) {
                case "more" -> to.set(ValueLayout.JAVA_LONG_UNALIGNED, 1, 5);
                case "throws" -> throw new UnsupportedOperationException("by the test");
                case "keeps" -> kept = to;
                default -> {}
            }
        }

        @Override
        public String read(MemorySegment from) {
            if (lie.equals("keeps")) {
                kept = from;
            }
            return Long.toString(from.get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
        }
    }

    @Test
    void codec_thatThrowsOrLies_failsAlone() {
        LyingCodec codec = new LyingCodec();
        try (OffHeapCache<Long, String> cache =
                OffHeapCache.<Long, String>builder()
                        .keyCodec(Codec.longs())
                        .valueCodec(codec)
                        .pool(pool)
                        .build()) {
            cache.put(1L, "");
            codec.lie = "more";
            assertThatThrownBy(() -> cache.put(1L, ""))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            codec.lie = "throws";
            assertThatThrownBy(() -> cache.put(1L, "")).hasMessage("by the test");
            codec.lie = "negative";
            assertThatThrownBy(() -> cache.put(1L, ""))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("size=-1");
            codec.lie = "less";
            cache.put(2L, "");
            assertThat(cache.getIfPresent(2L)).as("what was not written").isEqualTo("0");
            codec.lie = "large";
            cache.put(3L, "");
            codec.lie = "keeps";
            assertThat(cache.getIfPresent(3L)).isEqualTo("0");
            assertThatThrownBy(() -> codec.kept.get(ValueLayout.JAVA_BYTE, 0))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(cache.getIfPresent(1L)).isEqualTo("0");
            assertThat(codec.kept.isReadOnly()).isTrue();
            assertThatThrownBy(() -> codec.kept.get(ValueLayout.JAVA_BYTE, 0))
                    .as("a small one, too")
                    .isInstanceOf(IllegalStateException.class);
            cache.put(1L, ""); // keeps what it was shown to write to, too
            codec.kept.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 5);
            assertThat(cache.getIfPresent(1L)).isEqualTo("0");
            assertThat(cache.size()).isEqualTo(3);
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void keyCodec_thatWritesOtherBytesEachTime_findsNothing() {
        Codec<Long> random =
                new Codec<>() {
                    private long count;

                    @Override
                    public long size(Long value) {
                        return 8;
                    }

                    @Override
                    public void write(Long value, MemorySegment to) {
                        to.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value * 1000 + count++);
                    }

                    @Override
                    public Long read(MemorySegment from) {
                        return from.get(ValueLayout.JAVA_LONG_UNALIGNED, 0) / 1000;
                    }
                };
        try (OffHeapCache<Long, String> cache =
                OffHeapCache.<Long, String>builder()
                        .keyCodec(random)
                        .valueCodec(Codec.strings())
                        .pool(pool)
                        .maximumEntries(100)
                        .build()) {
            for (int i = 0; i < 1000; i++) {
                cache.put(5L, "a");
            }
            assertThat(cache.getIfPresent(5L)).isNull();
            assertThat(cache.size()).isLessThanOrEqualTo(101);
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    @SuppressWarnings({"NullAway", "ReturnValueIgnored"})
    void nulls_areRefused() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            ConcurrentMap<Long, String> map = cache.asMap();
            List<Runnable> calls =
                    List.of(
                            () -> cache.getIfPresent(null),
                            () -> cache.put(null, "a"),
                            () -> cache.put(1L, null),
                            () -> cache.invalidate(null),
                            () -> cache.get(null, _ -> "a"),
                            () -> cache.get(1L, null),
                            () -> cache.read(null, _ -> 1),
                            () -> cache.read(1L, null),
                            () -> map.get(null),
                            () -> map.containsKey(null),
                            () -> map.containsValue(null),
                            () -> map.putIfAbsent(1L, null),
                            () -> map.replace(1L, null),
                            () -> map.replace(1L, "a", null),
                            () -> map.compute(1L, null),
                            () -> map.merge(1L, null, (a, _) -> a));
            for (Runnable call : calls) {
                assertThatThrownBy(call::run).isInstanceOf(NullPointerException.class);
            }
            assertThat(cache.size()).isZero();
        }
    }

    @Test
    void badSettings_areRefused() {
        assertThatThrownBy(() -> longs().maximumBytes(4096))
                .hasMessage("maximumBytes must be 16777216 or more: maximumBytes=4096");
        assertThatThrownBy(() -> longs().maximumEntries(0))
                .hasMessage("maximumEntries must be 1 or more: maximumEntries=0");
        assertThatThrownBy(() -> longs().expireAfterWrite(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must not be negative");
        assertThatThrownBy(
                        () ->
                                longs().expireAfterWrite(Duration.ofSeconds(1))
                                        .expireAfterAccess(Duration.ofSeconds(1))
                                        .build())
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> OffHeapCache.<Long, Long>builder().build())
                .hasMessage("keyCodec and valueCodec must be set");
        try (OffHeapCache<Long, String> cache = longs().build()) {
            assertThatThrownBy(() -> cache.put(1L, "a", Duration.ofSeconds(1)))
                    .isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(() -> cache.policy().setMaximumBytes(1))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void cacheThatIsClosedInTheMiddle_saysSo() {
        List<Consumer<OffHeapCache<Long, String>>> calls =
                List.of(
                        cache -> cache.getIfPresent(1L),
                        cache -> cache.put(1L, "b"),
                        cache -> cache.invalidate(1L),
                        cache -> cache.read(1L, MemorySegment::byteSize));
        for (Consumer<OffHeapCache<Long, String>> call : calls) {
            AtomicReference<OffHeapCache<Long, String>> toClose = new AtomicReference<>();
            Codec<Long> keys =
                    Codec.of(
                            "closing",
                            key -> {
                                OffHeapCache<Long, String> cache = toClose.get();
                                if (cache != null) {
                                    cache.close();
                                }
                                return new byte[] {key.byteValue()};
                            },
                            bytes -> (long) bytes[0]);
            OffHeapCache<Long, String> cache =
                    OffHeapCache.<Long, String>builder()
                            .keyCodec(keys)
                            .valueCodec(Codec.strings())
                            .build();
            cache.put(1L, "a");
            toClose.set(cache);
            assertThatThrownBy(() -> call.accept(cache))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the cache is closed");
        }
    }

    @Test
    @SuppressWarnings("ReturnValueIgnored")
    void closedCache_refuses() {
        OffHeapCache<Long, String> cache = longs().build();
        cache.put(1L, "a");
        cache.close();
        cache.close();
        List<Runnable> calls =
                List.of(
                        () -> cache.getIfPresent(1L),
                        () -> cache.put(1L, "a"),
                        () -> cache.invalidate(1L),
                        cache::invalidateAll,
                        () -> cache.invalidateAll(List.of()),
                        () -> cache.putAll(Map.of()),
                        () -> cache.getAllPresent(List.of()),
                        () -> cache.getAll(List.of(), _ -> Map.of()),
                        () -> cache.get(1L, _ -> "b"),
                        () -> cache.read(1L, MemorySegment::byteSize),
                        cache::cleanUp,
                        cache::size,
                        () -> cache.asMap().get(1L),
                        () -> cache.asMap().containsKey(1L),
                        () -> cache.asMap().containsValue("a"),
                        () -> cache.asMap().isEmpty(),
                        () -> cache.asMap().clear(),
                        () -> cache.asMap().compute(1L, (_, _) -> "b"),
                        () -> cache.asMap().computeIfPresent(1L, (_, _) -> "b"),
                        () -> cache.asMap().merge(1L, "b", String::concat),
                        () -> cache.asMap().replace(1L, "a", "b"),
                        () -> cache.asMap().remove(1L, "a"),
                        () -> cache.asMap().entrySet().iterator(),
                        () -> cache.asMap().keySet().contains(1L),
                        () -> cache.policy().setMaximumBytes(1L << 30),
                        () -> cache.policy().setMaximumEntries(5),
                        () -> cache.policy().getIfPresentQuietly(1L),
                        () -> cache.policy().expiresIn(1L),
                        () -> cache.policy().bytesOf(1L),
                        () -> cache.policy().hottest(1),
                        () -> cache.policy().coldest(1));
        for (Runnable call : calls) {
            assertThatThrownBy(call::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the cache is closed");
        }
        assertThat(cache.stats().entries()).isEqualTo(1);
        assertThat(cache.policy().maximumEntries()).isEqualTo(Long.MAX_VALUE);
        assertThat(cache.stats().maximumBytes()).isNotEqualTo(1L << 30);
    }

    @Test
    void maximumBytes_isKeptAndShrinksAtOnce() {
        try (OffHeapCache<Long, byte[]> cache =
                OffHeapCache.<Long, byte[]>builder()
                        .keyCodec(Codec.longs())
                        .valueCodec(Codec.bytes())
                        .pool(pool)
                        .maximumBytes(64 << 20)
                        .build()) {
            for (long key = 0; key < 300_000; key++) {
                cache.put(key, new byte[200 + (int) (key % 100)]);
            }
            CacheStats full = cache.stats();
            assertThat(full.entryBytes() + full.indexBytes()).isBetween(32L << 20, 64L << 20);
            cache.policy().setMaximumBytes(24 << 20);
            CacheStats less = cache.stats();
            assertThat(less.entryBytes() + less.indexBytes()).isLessThan(24L << 20);
            assertThat(less.heldBytes()).isLessThan(32L << 20);
            assertThat(less.entries()).isPositive();
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void hottest_areThoseAskedForMost() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            for (long key = 0; key < 1000; key++) {
                cache.put(key, "a");
            }
            for (int i = 0; i < 10; i++) {
                assertThat(cache.getIfPresent(500L)).isEqualTo("a");
                assertThat(cache.getIfPresent(600L)).isEqualTo("a");
            }
            assertThat(cache.policy().hottest(2)).containsOnlyKeys(500L, 600L);
            assertThat(cache.policy().coldest(998)).hasSize(998).doesNotContainKeys(500L, 600L);
            assertThat(cache.policy().hottest(1000)).hasSize(1000);
            assertThat(cache.policy().hottest(0)).isEmpty();
        }
    }

    @Test
    void expiresIn_andEntriesOfTheirOwnTime() {
        Expiry<Long, String> expiry =
                new Expiry<>() {
                    @Override
                    public Duration afterWrite(Long key, String value) {
                        return Duration.ofNanos(key);
                    }

                    @Override
                    public @Nullable Duration afterRead(Long key, String value) {
                        return value.equals("longer") ? Duration.ofNanos(1000) : null;
                    }
                };
        try (OffHeapCache<Long, String> cache = longs().expireAfter(expiry).build()) {
            cache.put(50L, "a");
            cache.put(100L, "longer");
            cache.put(1L, "b", Duration.ofNanos(30));
            assertThat(cache.policy().expiresIn(50L)).contains(Duration.ofNanos(50));
            assertThat(cache.policy().expiresIn(1L)).contains(Duration.ofNanos(30));
            assertThat(cache.policy().expiresIn(2L)).isEmpty();
            clock.addAndGet(40);
            assertThat(cache.getIfPresent(1L)).isNull();
            assertThat(cache.getIfPresent(50L)).isEqualTo("a");
            assertThat(cache.getIfPresent(100L)).isEqualTo("longer");
            clock.addAndGet(900);
            assertThat(cache.getIfPresent(50L)).isNull();
            assertThat(cache.getIfPresent(100L)).isEqualTo("longer");
        }
    }

    @Test
    void iterator_removesAndSets() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            Map<Long, String> model = new HashMap<>();
            for (long key = 0; key < 3000; key++) {
                cache.put(key, "a" + key);
                model.put(key, "a" + key);
            }
            assertThat(cache.asMap()).isEqualTo(model);
            cache.asMap().entrySet().removeIf(each -> each.getKey() % 3 == 0);
            cache.asMap().replaceAll((_, value) -> value + "!");
            cache.asMap().values().removeIf(value -> value.endsWith("7!"));
            model.entrySet().removeIf(each -> each.getKey() % 3 == 0);
            model.replaceAll((_, value) -> value + "!");
            model.values().removeIf(value -> value.endsWith("7!"));
            assertThat(cache.asMap()).isEqualTo(model).hasSameHashCodeAs(model);
            assertThat(cache.asMap().keySet()).isEqualTo(model.keySet());
            assertThat(cache.asMap().values()).hasSize(model.size()).contains("a1!");
            assertThat(cache.asMap().values()).doesNotContain("a0!", "a7!", "a1");
            cache.asMap().values().clear();
            assertThat(cache.asMap().values()).isEmpty();
            assertThat(cache.size()).isZero();
        }
    }

    @Test
    void memory_ofAnEmptiedCache_goesBack() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            CacheStats before = cache.stats();
            for (int round = 0; round < 2; round++) {
                for (long key = 0; key < 60_000; key++) {
                    cache.put(key, "value");
                }
                assertThat(cache.stats().indexBytes()).isGreaterThan(4 * before.indexBytes());
                cache.invalidateAll();
                cache.cleanUp();
                assertThat(cache.stats().indexBytes())
                        .isLessThanOrEqualTo(before.indexBytes() + 2 * Lines.CHUNK_BYTES);
                CacheCheck.verify(cache.store());
            }
        }
    }

    @Test
    void memory_ofSpilledLines_goesBackWhileEntriesRemain() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            for (long key = 0; key < 200_000; key++) {
                cache.put(key, "value");
            }
            for (long key = 0; key < 200_000; key++) {
                if (key % 20 != 0) {
                    cache.invalidate(key);
                }
            }
            CacheCheck.verify(cache.store());
            long lines = cache.size() * Lines.LINE_BYTES / 2; // a bucket has more than four entries
            assertThat(cache.stats().indexBytes()).isLessThan(lines + 4 * Lines.CHUNK_BYTES);
            for (long key = 0; key < 200_000; key++) {
                assertThat(cache.getIfPresent(key)).isEqualTo(key % 20 == 0 ? "value" : null);
            }
        }
    }

    @Test
    void heldBytes_whileLargeValuesArePut_staysNearMaximumBytes() {
        long most = OffHeapCacheBuilder.MAXIMUM_BYTES_MIN;
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        try (OffHeapCache<Long, byte[]> cache =
                OffHeapCache.<Long, byte[]>builder()
                        .keyCodec(Codec.longs())
                        .valueCodec(Codec.bytes())
                        .pool(pool)
                        .maximumBytes(most)
                        .build()) {
            long peak = 0;
            for (long key = 0; key < 400; key++) {
                cache.put(key, new byte[random.nextInt(1_200_000)]);
                peak = Math.max(peak, cache.stats().heldBytes());
            }
            assertThat(peak).as("seed=%s", seed).isLessThan(3 * most);
        }
    }

    @Test
    void close_byAReaderOfAnotherCache_changesNothing() {
        try (OffHeapCache<Long, String> reading = longs().build();
                OffHeapCache<Long, String> cache = longs().build()) {
            reading.put(1L, "a".repeat(5000)); // small ones are copied
            cache.put(1L, "b");
            Runnable closing = cache::close;
            assertThatThrownBy(
                            () ->
                                    reading.read(
                                            1L,
                                            _ -> {
                                                closing.run();
                                                return 1;
                                            }))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(cache.getIfPresent(1L)).isEqualTo("b");
            cache.put(2L, "c");
            cache.cleanUp();
            assertThat(cache.size()).isEqualTo(2);
        }
    }

    /** A clock costs as much as a part of what asks it. */
    @Test
    void clock_whereNoEntryExpires_isNotAsked() {
        AtomicInteger asked = new AtomicInteger();
        try (OffHeapCache<Long, String> cache =
                longs().ticker(asked::getAndIncrement).maximumEntries(100).build()) {
            int toBuild = asked.get();
            for (long key = 0; key < 1000; key++) {
                cache.put(key, "a");
                cache.asMap().merge(key, "b", String::concat);
            }
            assertThat(cache.asMap()).hasSize(100).containsValue("ab");
            cache.policy().hottest(10).forEach((key, _) -> cache.invalidate(key));
            cache.cleanUp();
            assertThat(cache.size()).isEqualTo(90);
            assertThat(asked.get()).isEqualTo(toBuild);
        }
    }

    @Test
    void entries_expireAlsoBeforeTheOriginOfTheTicker() {
        try (OffHeapCache<Long, String> cache =
                longs().expireAfterWrite(Duration.ofNanos(10)).build()) {
            clock.set(-1000);
            cache.put(1L, "a");
            cache.put(2L, "b", Duration.ofNanos(Long.MAX_VALUE));
            assertThat(cache.policy().expiresIn(1L)).contains(Duration.ofNanos(10));
            assertThat(cache.policy().expiresIn(2L)).contains(Duration.ofNanos(Long.MAX_VALUE));
            clock.addAndGet(9);
            assertThat(cache.getIfPresent(1L)).isEqualTo("a");
            clock.addAndGet(1);
            assertThat(cache.getIfPresent(1L)).isNull();
            assertThat(cache.getIfPresent(2L)).isEqualTo("b");
        }
    }
}
