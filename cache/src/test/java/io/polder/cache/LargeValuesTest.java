package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** Who goes through a cache has no large values on the Java heap, and misses none of them. */
class LargeValuesTest extends CacheFixture {
    private static final long VALUE_BYTES = 20L << 20;

    @TempDir private Path folder;

    /** Values that are never on the Java heap: a number, as so many bytes. */
    private static final class Sizes implements Codec<Long> {
        @Override
        public long size(Long value) {
            return value;
        }

        @Override
        public void write(Long value, MemorySegment to) {
            MemorySegment _ = to.fill((byte) 7);
        }

        @Override
        public Long read(MemorySegment from) {
            return from.byteSize();
        }
    }

    private static OffHeapCache<Long, Long> sizes(long maximumBytes) {
        return OffHeapCache.<Long, Long>builder()
                .keyCodec(Codec.longs())
                .valueCodec(new Sizes())
                .maximumBytes(maximumBytes)
                .recordStats()
                .build();
    }

    /** A program whose Java heap has room for no value; prints what it finds. */
    static final class Passes {
        private Passes() {}

        public static void main(String[] args) throws IOException {
            Path path = Path.of(args[0]);
            try (OffHeapCache<Long, Long> cache = sizes(256 << 20)) {
                ConcurrentMap<Long, Long> map = cache.asMap();
                for (long key = 0; key < 6; key++) {
                    cache.put(key, VALUE_BYTES + key);
                }
                System.out.println(new TreeSet<>(map.keySet()));
                System.out.println(new TreeSet<>(map.values()).last() - VALUE_BYTES);
                System.out.println(map.containsValue(5L));
                System.out.println(cache.policy().hottest(3).size());
                System.out.println(cache.policy().coldest(10).size());
                System.out.println(map.keySet().removeIf(key -> key == 3));
                System.out.println(map.containsValue(VALUE_BYTES + 9));
                System.out.println(map.entrySet().contains(Map.entry(1L, VALUE_BYTES + 9)));
                System.out.println(map.entrySet().contains(Map.entry(1L, VALUE_BYTES + 1)));
                System.out.println(map.remove(1L, VALUE_BYTES + 9));
                System.out.println(map.replace(1L, VALUE_BYTES + 9, 1L));
                System.out.println(map.replace(1L, VALUE_BYTES + 1, VALUE_BYTES + 1));
                System.out.println(cache.writeTo(path));
            }
            try (OffHeapCache<Long, Long> small = sizes(16 << 20)) {
                System.out.println(small.readFrom(path));
                System.out.println(small.stats().refusedPuts());
            }
            try (OffHeapCache<Long, Long> other = sizes(256 << 20)) {
                System.out.println(other.readFrom(path));
                System.out.println(other.asMap().remove(5L, VALUE_BYTES + 5));
            }
        }
    }

    @Test
    void passes_overLargeValues_takeNoneToTheJavaHeap() throws Exception {
        Path path = folder.resolve("large");
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx24m",
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                KilledWriterTest.classPath(),
                                Passes.class.getName(),
                                path.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        CompletableFuture.delayedExecutor(300, TimeUnit.SECONDS) // else it could be read for ever
                .execute(process::destroyForcibly);
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        assertThat(said.lines())
                .containsExactly(
                        "[0, 1, 2, 3, 4, 5]",
                        "5",
                        "false",
                        "3",
                        "6",
                        "true",
                        "false",
                        "false",
                        "true",
                        "false",
                        "false",
                        "true",
                        "5",
                        "0",
                        "5",
                        "5",
                        "true");
        try (OffHeapCache<Long, Long> cache = sizes(256 << 20)) {
            assertThat(cache.readFrom(path)).isEqualTo(5);
            assertThat(cache.getIfPresent(4L)).isEqualTo(VALUE_BYTES + 4);
        }
    }

    /** Values that are equal by their bytes alone. */
    private static final class Blob {
        private final byte[] bytes;

        private Blob(byte[] bytes) {
            this.bytes = bytes;
        }

        private static final class Blobs implements Codec<Blob> {
            private int written;

            @Override
            public long size(Blob value) {
                return value.bytes.length;
            }

            @Override
            public void write(Blob value, MemorySegment to) {
                written++;
                Codec.bytes().write(value.bytes, to);
            }

            @Override
            public Blob read(MemorySegment from) {
                return new Blob(Codec.bytes().read(from));
            }
        }
    }

    private static Blob blob(int bytes, int last) {
        byte[] made = new byte[bytes];
        made[bytes - 1] = (byte) last;
        return new Blob(made);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4000, 5000, 1 << 16, (1 << 16) + 1, 1 << 20})
    void questions_byValuesOfAnySize_compareTheirBytes(int bytes) {
        Blob.Blobs codec = new Blob.Blobs();
        try (OffHeapCache<Long, Blob> cache =
                OffHeapCache.<Long, Blob>builder()
                        .keyCodec(Codec.longs())
                        .valueCodec(codec)
                        .pool(pool)
                        .build()) {
            ConcurrentMap<Long, Blob> map = cache.asMap();
            for (long key = 0; key < 9; key++) {
                cache.put(key, blob(bytes, (int) key));
            }
            codec.written = 0;
            assertThat(map.containsValue(blob(bytes + 1, 5))).isFalse();
            assertThat(map.remove(5L, blob(bytes + 1, 5))).isFalse();
            assertThat(codec.written).as("of another size").isZero();
            assertThat(map.containsValue(blob(bytes, 99))).isFalse();
            assertThat(codec.written).as("for all entries").isEqualTo(1);
            assertThat(map.containsValue(blob(bytes, 5))).isTrue();
            assertThat(map.entrySet().contains(Map.entry(5L, blob(bytes, 6)))).isFalse();
            assertThat(map.entrySet().contains(Map.entry(5L, blob(bytes, 5)))).isTrue();
            assertThat(map.replace(5L, blob(bytes, 6), blob(bytes, 7))).isFalse();
            assertThat(map.replace(5L, blob(bytes, 5), blob(bytes, 7))).isTrue();
            assertThat(map.remove(5L, blob(bytes, 5))).isFalse();
            assertThat(map.remove(5L, blob(bytes, 7))).isTrue();
            assertThat(map).hasSize(8);
            CacheCheck.verify(cache.store());
        }
    }

    private static final int KEYS = 40;

    /** All in one bucket, so that an iterator has met them before they change. */
    private OffHeapCache<Long, byte[]> crowded() {
        return OffHeapCache.<Long, byte[]>builder()
                .keyCodec(Codec.longs())
                .valueCodec(Codec.bytes())
                .pool(pool)
                .hash((_, _) -> 0)
                .build();
    }

    /** Of a size near that from which values are not copied. */
    private static byte[] value(long key, Random random) {
        byte[] value = new byte[Scratch.ENTRY_BYTES - 40 + random.nextInt(80)];
        Arrays.fill(value, (byte) key);
        return value;
    }

    private static void assertIsOf(long key, byte[] value) {
        assertThat(value).hasSizeGreaterThan(Scratch.ENTRY_BYTES - 41).containsOnly((byte) key);
    }

    @Test
    void iterator_whoseEntriesChange_meetsEachOnceThatStays() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int gone = 0;
        for (int round = 0; round < 100; round++) {
            try (OffHeapCache<Long, byte[]> cache = crowded()) {
                for (long key = 0; key < KEYS; key++) {
                    cache.put(key, value(key, random));
                }
                List<Long> met = new ArrayList<>();
                Set<Long> stay = new TreeSet<>(cache.asMap().keySet());
                Iterator<Map.Entry<Long, byte[]>> entries = cache.asMap().entrySet().iterator();
                while (entries.hasNext()) {
                    Map.Entry<Long, byte[]> entry = entries.next();
                    met.add(entry.getKey());
                    assertIsOf(entry.getKey(), entry.getValue());
                    long changed = random.nextInt(KEYS);
                    if (random.nextInt(4) == 0) {
                        cache.invalidate(changed);
                        stay.remove(changed);
                    } else if (stay.contains(changed)) {
                        cache.put(changed, value(changed, random));
                    }
                }
                assertThat(met).as("seed=%s", seed).doesNotHaveDuplicates().containsAll(stay);
                gone += KEYS - met.size();
                CacheCheck.verify(cache.store());
            }
        }
        assertThat(gone).as("met by no iterator").isPositive();
    }

    @Test
    void passes_whileAnotherThreadReplaces_missNothing() throws Exception {
        long seed = new Random().nextLong();
        Path path = folder.resolve("changing");
        try (OffHeapCache<Long, byte[]> cache = crowded();
                OffHeapCache<Long, byte[]> copy = crowded()) {
            Random random = new Random(seed);
            for (long key = 0; key < KEYS; key++) {
                cache.put(key, value(key, random));
            }
            Thread writer = Thread.ofPlatform().start(() -> replace(cache, random));
            try {
                for (int i = 0; i < 50; i++) {
                    assertHasAll(cache.policy().hottest(KEYS));
                    assertHasAll(cache.asMap());
                    assertThat(cache.writeTo(path)).as("seed=%s", seed).isEqualTo(KEYS);
                    copy.invalidateAll();
                    assertThat(copy.readFrom(path)).isEqualTo(KEYS);
                    assertHasAll(copy.asMap());
                }
            } finally {
                writer.interrupt();
                writer.join();
            }
        }
    }

    private static void replace(OffHeapCache<Long, byte[]> cache, Random random) {
        while (!Thread.currentThread().isInterrupted()) {
            long key = random.nextInt(KEYS);
            cache.put(key, value(key, random));
        }
    }

    private static void assertHasAll(Map<Long, byte[]> entries) {
        TreeSet<Long> met = new TreeSet<>();
        entries.forEach(
                (key, value) -> {
                    assertIsOf(key, value);
                    met.add(key);
                });
        assertThat(met).containsExactlyElementsOf(LongStream.range(0, KEYS).boxed().toList());
    }
}
