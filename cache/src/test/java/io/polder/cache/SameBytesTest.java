package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;

/** Values that are asked for, while others put the same bytes again and again. */
class SameBytesTest extends CacheFixture {
    private final OffHeapCache<Long, Opaque> cache =
            OffHeapCache.<Long, Opaque>builder()
                    .keyCodec(Codec.longs())
                    .valueCodec(Codec.of("opaque", opaque -> opaque.bytes, Opaque::new))
                    .pool(pool)
                    .build();

    private int puts;

    /** Equal to nothing; as long as it is to, it puts its bytes once more when that is asked. */
    private final class Opaque {
        private final byte[] bytes;

        private Opaque(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            if (puts > 0) {
                puts--;
                cache.put(1L, new Opaque(bytes));
            }
            return false;
        }

        @Override
        public int hashCode() {
            return bytes.length;
        }
    }

    private Opaque opaque(int size, int fill) {
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, (byte) fill);
        return new Opaque(bytes);
    }

    /** Copied, and read in place. */
    @ParameterizedTest
    @ValueSource(ints = {10, 5000, 200_000})
    void questions_besidePutsOfTheSameBytes_findThem(int size) {
        try (cache) {
            ConcurrentMap<Long, Opaque> map = cache.asMap();
            map.put(1L, opaque(size, 1));
            puts = 3;
            assertThat(map.entrySet().contains(Map.entry(1L, opaque(size, 1)))).isTrue();
            puts = 3;
            assertThat(map.replace(1L, opaque(size, 1), opaque(size, 2))).isTrue();
            puts = 3;
            assertThat(map.replace(1L, opaque(size, 1), opaque(size, 3))).isFalse();
            puts = 3;
            assertThat(map.remove(1L, opaque(size, 1))).isFalse();
            puts = 3;
            assertThat(map.remove(1L, opaque(size, 2))).isTrue();
            assertThat(map).isEmpty();
        }
    }
}
