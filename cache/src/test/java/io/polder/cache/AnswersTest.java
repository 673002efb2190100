package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a program's own objects must not answer to a cache is refused, and the message says so. */
class AnswersTest extends CacheFixture {
    /** Numbers; says of itself what the test wants. */
    private static final class Saying implements Codec<Long> {
        private @Nullable String format = "numbers";
        private int fixedBytes = Long.BYTES;
        private long size = Long.BYTES;

        @Override
        public long size(Long value) {
            return size;
        }

        @Override
        public void write(Long value, MemorySegment to) {
            if (size == Long.BYTES) {
                Codec.longs().write(value, to);
            }
        }

        @Override
        public Long read(MemorySegment from) {
            return Codec.longs().read(from);
        }

        @Override
        public String toString() {
            return "saying";
        }

        @Override
        public int fixedBytes() {
            return fixedBytes;
        }

        @Override
        @SuppressWarnings("NullAway") // what is tested
        public String format() {
            return format;
        }
    }

    private OffHeapCacheBuilder<Long, Long> numbers(Codec<Long> keys, Codec<Long> values) {
        return OffHeapCache.<Long, Long>builder().keyCodec(keys).valueCodec(values).pool(pool);
    }

    private void buildIsRefused(Saying codec, String message) {
        List<OffHeapCacheBuilder<Long, Long>> builders =
                List.of(numbers(codec, Codec.longs()), numbers(Codec.longs(), codec));
        for (OffHeapCacheBuilder<Long, Long> builder : builders) {
            assertThatThrownBy(builder::build)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(message);
        }
    }

    /** Files of two such codecs would be taken for those of each other. */
    @Test
    void codec_withoutAFormat_isRefused() {
        Saying codec = new Saying();
        codec.format = null;
        buildIsRefused(codec, "a codec must not give a format that is null: codec=" + codec);
    }

    @Test
    void codec_ofFixedBytesBelowMinusOne_isRefused() {
        Saying codec = new Saying();
        codec.fixedBytes = -2;
        buildIsRefused(codec, "codec=" + codec + ", fixedBytes=-2");
    }

    /** Entries are laid out by what it said when the cache was built. */
    @Test
    void codec_thatChangesItsFixedBytes_isNotAskedAgain() {
        Saying codec = new Saying();
        try (OffHeapCache<Long, Long> cache = numbers(codec, codec).build()) {
            cache.put(1L, 10L);
            codec.fixedBytes = -1;
            codec.size = 100;
            assertThatThrownBy(() -> cache.put(2L, 20L))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("size=100, fixedBytes=8");
            codec.size = Long.BYTES;
            assertThat(cache.asMap()).isEqualTo(Map.of(1L, 10L));
        }
    }

    /** Gives this for what is put. */
    private OffHeapCache<Long, String> expiring(@Nullable Duration duration) {
        return longs().expireAfter(
                        new Expiry<Long, String>() {
                            @Override
                            @SuppressWarnings("NullAway") // what is tested
                            public Duration afterWrite(Long key, String value) {
                                return duration;
                            }
                        })
                .build();
    }

    @Test
    void expiry_withoutADuration_isRefused() {
        try (OffHeapCache<Long, String> cache = expiring(null)) {
            assertThatThrownBy(() -> cache.put(1L, "one"))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("what afterWrite returns");
            assertThat(cache.size()).isZero();
        }
    }

    @Test
    void expiry_ofANegativeDuration_isRefused() {
        try (OffHeapCache<Long, String> cache = expiring(Duration.ofNanos(-1))) {
            assertThatThrownBy(() -> cache.put(1L, "one"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a duration must not be negative");
            assertThat(cache.size()).isZero();
        }
    }

    @Test
    @SuppressWarnings({"NullAway", "DataFlowIssue"}) // what is tested
    void duration_thatIsNull_isRefused() {
        try (OffHeapCache<Long, String> cache =
                longs().expireAfterWrite(Duration.ofHours(1)).build()) {
            cache.put(1L, "one");
            List<ThrowingCallable> uses =
                    List.of(
                            () -> longs().expireAfterWrite(null),
                            () -> longs().expireAfterAccess(null),
                            () -> cache.put(1L, "two", null),
                            () -> cache.putIfAbsent(2L, "two", null),
                            () -> cache.compute(1L, (_, _) -> "two", null),
                            () -> cache.policy().setExpiresIn(1L, null));
            for (ThrowingCallable use : uses) {
                assertThatThrownBy(use)
                        .isInstanceOf(NullPointerException.class)
                        .hasMessage("duration");
            }
            assertThat(cache.asMap()).isEqualTo(Map.of(1L, "one"));
        }
    }

    @Test
    @SuppressWarnings("NullAway") // what is tested
    void loaderOfMany_thatGivesNull_isRefused() {
        Map<Long, String> ofNull = new HashMap<>();
        ofNull.put(1L, null);
        try (OffHeapCache<Long, String> cache = longs().build()) {
            assertThatThrownBy(() -> cache.getAll(Set.of(1L), _ -> null))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("what the loader returns");
            assertThatThrownBy(() -> cache.getAll(Set.of(1L), _ -> ofNull))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("value");
            assertThat(cache.stats().loadFailures()).isEqualTo(2);
            assertThat(cache.size()).isZero();
        }
    }

    @Test
    @SuppressWarnings("NullAway") // what is tested
    void functionOfTheMap_thatGivesNull_removesOrIsRefused() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            assertThat(cache.get(1L, _ -> null)).isNull();
            assertThat(cache.asMap().computeIfAbsent(1L, _ -> null)).isNull();
            cache.put(1L, "one");
            assertThatThrownBy(() -> cache.asMap().replaceAll((_, _) -> null))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("value");
            assertThat(cache.asMap()).isEqualTo(Map.of(1L, "one"));
            assertThat(cache.asMap().merge(1L, "two", (_, _) -> null)).isNull();
            assertThat(cache.size()).isZero();
        }
    }
}
