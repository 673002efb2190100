package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** Records without components have no bytes, as keys, values and components. */
class EmptyRecordsTest extends CacheFixture {
    @TempDir private Path folder;

    record Nothing() {}

    record Holder(Nothing first, int number, Nothing second) {}

    private <K, V> OffHeapCache<K, V> cache(Codec<K> keys, Codec<V> values, boolean expires) {
        OffHeapCacheBuilder<K, V> builder =
                OffHeapCache.<K, V>builder().keyCodec(keys).valueCodec(values).pool(pool);
        return (expires ? builder.expireAfterAccess(Duration.ofHours(1)) : builder).build();
    }

    /** Puts a value twice, asks all questions, removes it, and takes it from a file. */
    private <K, V> void works(OffHeapCache<K, V> cache, K key, V value) throws IOException {
        Path path = folder.resolve("cache");
        try (cache) {
            for (int i = 0; i < 3; i++) {
                cache.put(key, value);
            }
            assertThat(cache.size()).isEqualTo(1);
            assertThat(cache.getIfPresent(key)).isEqualTo(value);
            assertThat(cache.<Long>read(key, bytes -> bytes.byteSize())).isNotNegative();
            assertThat(cache.asMap()).isEqualTo(Map.of(key, value));
            assertThat(cache.asMap().containsValue(value)).isTrue();
            assertThat(cache.asMap().replace(key, value, value)).isTrue();
            assertThat(cache.policy().hottest(1)).isEqualTo(Map.of(key, value));
            assertThat(cache.writeTo(path)).isEqualTo(1);
            assertThat(cache.asMap().remove(key, value)).isTrue();
            assertThat(cache.getIfPresent(key)).isNull();
            assertThat(cache.readFrom(path)).isEqualTo(1);
            assertThat(cache.asMap()).isEqualTo(Map.of(key, value));
            cache.cleanUp();
            assertThat(cache.asMap().remove(key)).isEqualTo(value);
            assertThat(cache.size()).isZero();
            CacheCheck.verify(cache.store());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void emptyRecords_areKeysAndValues(boolean expires) throws IOException {
        Codec<Nothing> nothing = Codec.records(Nothing.class);
        Codec<Holder> holder = Codec.records(Holder.class);
        assertThat(nothing.fixedBytes()).isZero();
        works(cache(nothing, nothing, expires), new Nothing(), new Nothing());
        works(cache(nothing, Codec.longs(), expires), new Nothing(), 1L);
        works(cache(Codec.longs(), nothing, expires), 1L, new Nothing());
        works(cache(nothing, Codec.strings(), expires), new Nothing(), "");
        works(
                cache(holder, holder, expires),
                new Holder(new Nothing(), 1, new Nothing()),
                new Holder(new Nothing(), 2, new Nothing()));
    }

    @Test
    void emptyRecords_ofManyKeys_areAllThere() {
        try (OffHeapCache<Long, Nothing> cache =
                cache(Codec.longs(), Codec.records(Nothing.class), false)) {
            for (long key = 0; key < 10_000; key++) {
                cache.put(key, new Nothing());
            }
            assertThat(cache.asMap()).hasSize(10_000).containsEntry(77L, new Nothing());
            cache.invalidateAll();
            cache.cleanUp();
            CacheCheck.verify(cache.store());
        }
    }
}
