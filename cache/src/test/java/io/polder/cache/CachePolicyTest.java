package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** What a cache says of its rules and entries, and lifetimes of single entries. */
class CachePolicyTest extends CacheFixture {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void rules_areThoseOfTheBuilder() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            assertThat(cache.policy().expireAfterWrite()).isEmpty();
            assertThat(cache.policy().expireAfterAccess()).isEmpty();
            assertThat(cache.policy().expiresEach()).isFalse();
            assertThat(cache.policy().isRecordingStats()).isTrue();
        }
        try (OffHeapCache<Long, String> cache = longs().expireAfterWrite(MINUTE).build()) {
            assertThat(cache.policy().expireAfterWrite()).contains(MINUTE);
            assertThat(cache.policy().expireAfterAccess()).isEmpty();
        }
        try (OffHeapCache<Long, String> cache = longs().expireAfterAccess(MINUTE).build()) {
            assertThat(cache.policy().expireAfterAccess()).contains(MINUTE);
            assertThat(cache.policy().expireAfterWrite()).isEmpty();
        }
        try (OffHeapCache<Long, String> cache = longs().expireAfter((_, _) -> MINUTE).build()) {
            assertThat(cache.policy().expiresEach()).isTrue();
        }
    }

    @Test
    void quietLook_changesNothing() {
        try (OffHeapCache<Long, String> cache = longs().expireAfterAccess(MINUTE).build()) {
            cache.put(1L, "one");
            clock.addAndGet(MINUTE.toNanos() - 10);
            assertThat(cache.policy().getIfPresentQuietly(1L)).isEqualTo("one");
            assertThat(cache.policy().getIfPresentQuietly(2L)).isNull();
            assertThat(cache.policy().expiresIn(1L)).contains(Duration.ofNanos(10));
            assertThat(cache.stats().hits() + cache.stats().misses()).isZero();
            clock.addAndGet(10);
            assertThat(cache.policy().getIfPresentQuietly(1L)).isNull();
        }
    }

    @Test
    void keyBytes_ofEqualKeys_areThoseOfTheCodec() {
        try (OffHeapCache<String, String> cache =
                OffHeapCache.<String, String>builder()
                        .keyCodec(Codec.strings())
                        .valueCodec(Codec.strings())
                        .pool(pool)
                        .build()) {
            byte[] bytes = cache.policy().keyBytes("key");
            assertThat(bytes).hasSize((int) Codec.strings().size("key"));
            assertThat(cache.policy().keyBytes("a longer key")).isNotEqualTo(bytes);
            assertThat(cache.policy().keyBytes("key")).isEqualTo(bytes).isNotSameAs(bytes);
        }
    }

    @Test
    void bytesOfEntries_addUpToThoseOfTheCache() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(1L, "a".repeat(100_000));
            cache.put(2L, "a");
            assertThat(cache.policy().bytesOf(3L)).isEmpty();
            long sum =
                    cache.policy().bytesOf(1L).orElseThrow()
                            + cache.policy().bytesOf(2L).orElseThrow();
            assertThat(cache.stats().entryBytes()).isEqualTo(sum).isGreaterThan(100_000);
        }
    }

    @Test
    void lifetimes_ofSingleEntries() {
        try (OffHeapCache<Long, String> cache = longs().expireAfterWrite(MINUTE).build()) {
            assertThat(cache.putIfAbsent(1L, "one", Duration.ofNanos(30))).isNull();
            assertThat(cache.putIfAbsent(1L, "uno", MINUTE)).isEqualTo("one");
            assertThat(cache.compute(2L, (_, known) -> known + "!", Duration.ofNanos(20)))
                    .isEqualTo("null!");
            cache.put(3L, "three");
            assertThat(cache.policy().oldest(2).keySet()).containsExactly(2L, 1L);
            assertThat(cache.policy().youngest(2).keySet()).containsExactly(3L, 1L);
            assertThat(cache.policy().setExpiresIn(3L, Duration.ofNanos(10))).isTrue();
            assertThat(cache.policy().setExpiresIn(4L, MINUTE)).isFalse();
            assertThat(cache.policy().oldest(9).keySet()).containsExactly(3L, 2L, 1L);
            clock.addAndGet(25);
            assertThat(cache.policy().oldest(9)).containsOnlyKeys(1L);
            assertThat(cache.getIfPresent(2L)).isNull();
            assertThatThrownBy(() -> cache.policy().setExpiresIn(1L, Duration.ofNanos(-1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("duration=PT-0.000000001S");
        }
    }

    /** The time passes, and the lifetime changes, between the look at an entry and its removal. */
    @Test
    void lifetime_thatIsLengthenedWhileItEnds_keepsTheEntry() {
        AtomicReference<Runnable> once = new AtomicReference<>(() -> {});
        OffHeapCacheBuilder<Long, String> builder =
                longs().ticker(
                                () -> {
                                    once.getAndSet(() -> {}).run();
                                    return clock.get();
                                });
        try (OffHeapCache<Long, String> cache =
                builder.expireAfterWrite(Duration.ofNanos(100)).build()) {
            cache.put(1L, "one");
            clock.addAndGet(99);
            once.set(
                    () -> {
                        assertThat(cache.policy().setExpiresIn(1L, MINUTE)).isTrue();
                        clock.addAndGet(2);
                    });
            assertThat(cache.getIfPresent(1L)).isEqualTo("one");
            clock.addAndGet(MINUTE.toNanos());
            assertThat(cache.getIfPresent(1L)).isNull();
        }
    }

    @Test
    void lifetimes_withoutExpiry_areRefused() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(1L, "one");
            assertThatThrownBy(() -> cache.putIfAbsent(2L, "two", MINUTE))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("built without expiry");
            assertThatThrownBy(() -> cache.compute(1L, (_, _) -> "two", MINUTE))
                    .isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(() -> cache.policy().setExpiresIn(1L, MINUTE))
                    .isInstanceOf(UnsupportedOperationException.class);
            assertThat(cache.policy().oldest(9)).isEmpty();
            assertThat(cache.asMap()).containsOnlyKeys(1L);
        }
    }

    @Test
    void changesThatChangeNothing_areNoAccess() {
        try (OffHeapCache<Long, String> cache =
                longs().expireAfterAccess(Duration.ofNanos(100)).build()) {
            cache.put(1L, "a");
            clock.addAndGet(60);
            assertThat(cache.asMap().remove(1L, "b")).isFalse();
            assertThat(cache.asMap().replace(1L, "b", "c")).isFalse();
            assertThatThrownBy(
                            () ->
                                    cache.asMap()
                                            .compute(
                                                    1L,
                                                    (_, _) -> {
                                                        throw new IllegalArgumentException("no");
                                                    }))
                    .hasMessage("no");
            assertThat(cache.policy().expiresIn(1L)).contains(Duration.ofNanos(40));
            clock.addAndGet(60);
            assertThat(cache.getIfPresent(1L)).isNull();
        }
    }

    @Test
    void loaderOfMany_withoutAnyValue_hasFailed() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            assertThat(cache.getAll(List.of(1L, 2L), _ -> Map.of())).isEmpty();
            assertThat(cache.stats().loads()).isZero();
            assertThat(cache.stats().loadFailures()).isOne();
        }
    }
}
