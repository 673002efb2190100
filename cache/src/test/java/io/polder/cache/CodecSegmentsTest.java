package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Whoever has a codec of a program read shows it what a get does: a read-only segment outside the
 * Java heap, that is aligned where it is a copy, and dies.
 */
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

    private static boolean isAsPromised(MemorySegment shown) {
        return shown.isReadOnly() && shown.isNative() && !shown.scope().isAlive();
    }

    private void assertShown(int shownKeys, int shownValues) {
        assertThat(keys.shown).hasSize(shownKeys).allMatch(CodecSegmentsTest::isAsPromised);
        assertThat(values.shown).hasSize(shownValues).allMatch(CodecSegmentsTest::isAsPromised);
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

    /** Of a library that knows buffers alone. */
    private static final class Buffers implements Codec<byte[]> {
        @Override
        public long size(byte[] value) {
            return value.length;
        }

        @Override
        public void write(byte[] value, MemorySegment to) {
            to.asByteBuffer().put(value);
        }

        @Override
        public byte[] read(MemorySegment from) {
            return bytes(from);
        }

        static byte[] bytes(MemorySegment from) {
            ByteBuffer buffer = from.asByteBuffer();
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            return bytes;
        }
    }

    @Test
    void buffers_canBeMadeOfSegments_ofAnySize() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (OffHeapCache<byte[], byte[]> cache =
                OffHeapCache.<byte[], byte[]>builder()
                        .keyCodec(new Buffers())
                        .valueCodec(new Buffers())
                        .pool(pool)
                        .build()) {
            for (int i = 0; i < 300; i++) {
                byte[] key = new byte[random.nextInt(1, 300)];
                byte[] value = new byte[random.nextInt(1 << random.nextInt(1, 18))];
                random.nextBytes(key);
                random.nextBytes(value);
                cache.put(key, value);
                assertThat(cache.getIfPresent(key)).as("seed %d", seed).isEqualTo(value);
                assertThat(cache.read(key, Buffers::bytes)).as("seed %d", seed).isEqualTo(value);
                Map.Entry<byte[], byte[]> met = cache.asMap().entrySet().iterator().next();
                assertThat(met.getKey()).as("seed %d", seed).isEqualTo(key);
                assertThat(met.getValue()).as("seed %d", seed).isEqualTo(value);
                cache.invalidate(key);
            }
        }
    }

    @Test
    void segments_areForTheRunningThread_ofAnySize() {
        try (OffHeapCache<String, byte[]> cache =
                        OffHeapCache.<String, byte[]>builder()
                                .keyCodec(Codec.strings())
                                .valueCodec(Codec.bytes())
                                .pool(pool)
                                .build();
                ExecutorService other = Executors.newSingleThreadExecutor()) {
            for (int bytes : new int[] {1, 100, 100_000}) {
                cache.put("key", new byte[bytes]);
                Throwable refusal = cache.read("key", shown -> refusal(other, shown));
                assertThat(refusal)
                        .as("of %d bytes", bytes)
                        .isInstanceOf(WrongThreadException.class);
            }
        }
    }

    /** What another thread gets that reads it. */
    private static Throwable refusal(ExecutorService other, MemorySegment shown) {
        Future<Throwable> asked =
                other.submit(() -> catchThrowable(() -> shown.get(ValueLayout.JAVA_BYTE, 0)));
        try {
            return asked.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
