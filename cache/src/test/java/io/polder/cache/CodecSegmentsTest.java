package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Whoever has a codec of a program read shows it what a get does: a read-only, aligned segment. */
class CodecSegmentsTest extends CacheFixture {
    /** Of keys and values that are 8 bytes; reads them as only aligned ones can be read. */
    private static final class Aligned implements Codec<Long> {
        private final List<MemorySegment> shown = new ArrayList<>();

        @Override
        public long size(Long value) {
            return Long.BYTES;
        }

        @Override
        public int fixedBytes() {
            return Long.BYTES;
        }

        @Override
        public void write(Long value, MemorySegment to) {
            to.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value);
        }

        @Override
        public Long read(MemorySegment from) {
            shown.add(from);
            return from.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    private final Aligned keys = new Aligned();
    private final Aligned values = new Aligned();

    @TempDir private Path folder;

    private void assertShown(int shownKeys, int shownValues) {
        assertThat(keys.shown).hasSize(shownKeys).allMatch(MemorySegment::isReadOnly);
        assertThat(values.shown).hasSize(shownValues).allMatch(MemorySegment::isReadOnly);
        keys.shown.clear();
        values.shown.clear();
    }

    @Test
    void codec_isShownReadOnlyAndAlignedSegments_byAllWhoRead() throws IOException {
        try (OffHeapCache<Long, Long> cache =
                OffHeapCache.<Long, Long>builder()
                        .keyCodec(keys)
                        .valueCodec(values)
                        .expireAfter((key, _) -> Duration.ofMinutes(key))
                        .removalListener((_, _, _) -> {})
                        .executor(Runnable::run)
                        .pool(pool)
                        .build()) {
            cache.put(7L, 42L);
            assertThat(cache.getIfPresent(7L)).isEqualTo(42);
            assertShown(0, 1);
            assertThat(cache.asMap().entrySet().iterator().next().getValue()).isEqualTo(42);
            assertShown(1, 1);
            assertThat(cache.asMap().keySet().iterator().next()).isEqualTo(7);
            assertShown(1, 0);
            assertThat(cache.asMap().containsValue(8L)).isFalse();
            assertShown(1, 1);
            assertThat(cache.policy().hottest(1)).containsEntry(7L, 42L);
            assertShown(1, 1);
            assertThat(cache.policy().oldest(1)).containsEntry(7L, 42L);
            assertShown(1, 1);
            assertThat(cache.writeTo(folder.resolve("cache"))).isEqualTo(1);
            cache.invalidate(7L); // the listener is told
            assertShown(1, 1);
            assertThat(cache.readFrom(folder.resolve("cache"))).isEqualTo(1);
        }
        assertShown(0, 0);
    }

    @Test
    void codec_isShownReadOnlyAndAlignedSegments_whenAnExpiryIsAskedOfAFile() throws IOException {
        Path path = folder.resolve("cache");
        try (OffHeapCache<Long, Long> cache =
                OffHeapCache.<Long, Long>builder()
                        .keyCodec(keys)
                        .valueCodec(values)
                        .pool(pool)
                        .build()) {
            cache.put(7L, 42L);
            assertThat(cache.writeTo(path)).isEqualTo(1);
        }
        try (OffHeapCache<Long, Long> cache =
                OffHeapCache.<Long, Long>builder()
                        .keyCodec(keys)
                        .valueCodec(values)
                        .expireAfter((key, value) -> Duration.ofMinutes(key + value))
                        .pool(pool)
                        .build()) {
            assertThat(cache.readFrom(path)).isEqualTo(1);
            assertShown(1, 1);
            assertThat(cache.policy().expiresIn(7L).orElseThrow())
                    .isBetween(Duration.ofMinutes(48), Duration.ofMinutes(49));
        }
    }
}
