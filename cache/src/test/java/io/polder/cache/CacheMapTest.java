package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;

/** The map of a cache whose values are not equal by their contents. */
class CacheMapTest extends CacheFixture {
    @SuppressWarnings("ArrayRecordComponent") // what is tested
    record Picture(int width, byte[] pixels) {}

    private OffHeapCache<Long, Picture> pictures() {
        return OffHeapCache.<Long, Picture>builder()
                .keyCodec(Codec.longs())
                .valueCodec(Codec.records(Picture.class))
                .pool(pool)
                .build();
    }

    private static Picture picture(int size) {
        return new Picture(size, new byte[size]);
    }

    @Test
    void values_areTheSameIfTheirBytesAre() {
        try (OffHeapCache<Long, Picture> cache = pictures()) {
            ConcurrentMap<Long, Picture> map = cache.asMap();
            for (int size : new int[] {10, 5000, 200_000}) { // copied, and read in place
                cache.put(1L, picture(size));
                assertThat(map.containsValue(picture(size))).isTrue();
                assertThat(map.containsValue(picture(7))).isFalse();
                assertThat(map.values().contains(picture(size))).isTrue();
                assertThat(map.entrySet().contains(Map.entry(1L, picture(size)))).isTrue();
                assertThat(map.entrySet().contains(Map.entry(1L, picture(7)))).isFalse();
                assertThat(map.replace(1L, picture(7), picture(8))).isFalse();
                assertThat(map.replace(1L, picture(size), picture(size + 1))).isTrue();
                assertThat(map.remove(1L, picture(size))).isFalse();
                assertThat(map.remove(1L, picture(size + 1))).isTrue();
                assertThat(map).isEmpty();
            }
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void keySet_remove_findsKeysByTheirBytes() {
        try (OffHeapCache<byte[], Long> cache =
                OffHeapCache.<byte[], Long>builder()
                        .keyCodec(Codec.bytes())
                        .valueCodec(Codec.longs())
                        .build()) {
            for (byte each = 0; each < 3; each++) {
                cache.put(new byte[] {each}, 1L);
            }
            Set<byte[]> keys = cache.asMap().keySet();
            assertThat(keys.remove(new byte[] {7})).isFalse();
            assertThat(keys.remove(new byte[] {1})).isTrue();
            assertThat(keys.contains(new byte[] {1})).isFalse();
            assertThat(keys.removeAll(List.of(new byte[] {2}))).isTrue();
            assertThat(keys).hasSize(1);
            keys.removeIf(key -> key[0] == 0);
            assertThat(cache.size()).isZero();
        }
    }

    @Test
    void values_ofAnotherClass_areNotThere() {
        try (OffHeapCache<Long, Picture> cache = pictures()) {
            cache.put(1L, picture(10));
            Map<Long, Picture> map = cache.asMap();
            Object other = "picture";
            assertThat(map.containsValue(other)).isFalse();
            assertThat(map.remove(1L, other)).isFalse();
            assertThat(map).hasSize(1);
        }
    }

    @Test
    void replaceAll_callsTheFunctionOnceForEach() {
        try (OffHeapCache<Long, Picture> cache = pictures()) {
            for (long key = 0; key < 100; key++) {
                cache.put(key, picture(10));
            }
            cache.asMap().replaceAll((key, value) -> picture(value.width() + 1 + (int) (long) key));
            for (long key = 0; key < 100; key++) {
                assertThat(cache.getIfPresent(key)).matches(each -> each.width() >= 11);
            }
            assertThat(cache.getIfPresent(5L)).matches(each -> each.width() == 16);
            assertThatThrownBy(() -> cache.asMap().replaceAll((_, _) -> null))
                    .isInstanceOf(NullPointerException.class);
            assertThat(cache.size()).isEqualTo(100);
        }
    }

    /** A codec that reads nothing. */
    private static final class Unreadable implements Codec<String> {
        @Override
        public long size(String value) {
            return value.length();
        }

        @Override
        public void write(String value, MemorySegment to) {}

        @Override
        public String read(MemorySegment from) {
            throw new IllegalStateException("refused by the test");
        }
    }

    @Test
    void keySet_readsNoValues() {
        try (OffHeapCache<Long, String> cache =
                OffHeapCache.<Long, String>builder()
                        .keyCodec(Codec.longs())
                        .valueCodec(new Unreadable())
                        .pool(pool)
                        .build()) {
            for (long key = 0; key < 4; key++) {
                cache.put(key, "value");
            }
            Set<Long> keys = cache.asMap().keySet();
            assertThat(keys).containsExactlyInAnyOrder(0L, 1L, 2L, 3L);
            assertThat(keys.remove(0L)).isTrue();
            assertThat(keys.remove(0L)).isFalse();
            assertThat(keys.removeIf(key -> key == 1)).isTrue();
            assertThat(keys).containsExactlyInAnyOrder(2L, 3L);
        }
    }

    @Test
    void streams_whereEntriesHaveExpired_haveTheOthers() {
        try (OffHeapCache<Long, String> cache =
                longs().expireAfterWrite(Duration.ofNanos(100)).build()) {
            for (long key = 0; key < 10; key++) {
                cache.put(key, "old");
            }
            clock.addAndGet(100);
            cache.put(100L, "new");
            Map<Long, String> map = cache.asMap();
            assertThat(map.size()).as("some have expired").isGreaterThan(1);
            assertThat(map.keySet().stream().toList()).containsExactly(100L);
            assertThat(map.keySet().stream().sorted().toList()).containsExactly(100L);
            assertThat(map.values().parallelStream().toList()).containsExactly("new");
            assertThat(map.entrySet().stream().toArray()).containsExactly(Map.entry(100L, "new"));
            assertThat(map.values().stream().count()).isEqualTo(1);
            assertThat(map.size()).as("they are there still").isGreaterThan(1);
        }
    }

    @Test
    void equals_whereAllHaveExpired_isThatOfAnEmptyMap() {
        try (OffHeapCache<Long, String> cache =
                longs().expireAfterWrite(Duration.ofNanos(100)).build()) {
            cache.put(1L, "old");
            clock.addAndGet(100);
            Map<Long, String> map = cache.asMap();
            assertThat(map.equals(Map.of())).isTrue();
            assertThat(map.hashCode()).isEqualTo(Map.of().hashCode());
            assertThat(map.keySet().equals(Set.of())).isTrue();
            assertThat(map.entrySet().equals(Set.of())).isTrue();
            assertThat(map.isEmpty()).as("it counts what has expired").isFalse();
            assertThat(Map.of().equals(map)).as("the other one asks for the size").isFalse();
            cache.cleanUp();
            assertThat(map.isEmpty()).isTrue();
            assertThat(Map.of().equals(map)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void keySet_removeAll_isTheSameWhateverIsLarger(int size) {
        try (OffHeapCache<byte[], Long> cache =
                OffHeapCache.<byte[], Long>builder()
                        .keyCodec(Codec.bytes())
                        .valueCodec(Codec.longs())
                        .pool(pool)
                        .build()) {
            cache.put(new byte[] {0}, 1L);
            cache.put(new byte[] {1}, 1L);
            List<byte[]> gone = new ArrayList<>();
            for (int key = 1; key <= size; key++) {
                gone.add(new byte[] {(byte) key});
            }
            assertThat(cache.asMap().keySet().removeAll(gone)).isTrue();
            assertThat(cache.asMap().keySet().removeAll(gone)).isFalse();
            assertThat(cache.asMap().keySet()).hasSize(1);
            assertThat(cache.asMap().containsKey(new byte[] {0})).isTrue();
        }
    }
}
