package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentMap;

/** Codecs that do what they must not: nobody else's bytes are in an entry, and nothing changes. */
@Timeout(60)
class CodecFaultsTest extends CacheFixture {
    private static final String SECRET = "secret".repeat(20);

    /** If it is empty, its text is long for some times, as when its size is asked, then short. */
    record Text(String value) {
        private static int longTimes;

        @Override
        public String value() {
            return value.isEmpty() ? (longTimes-- > 0 ? "x".repeat(100) : "short") : value;
        }
    }

    record Nested(int before, Text text, long after) {}

    /** The size of a record within another one is asked twice. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void records_whoseComponentsShrink_leaveNothingUnwritten(int times) {
        Text.longTimes = times;
        Codec<Nested> codec = Codec.records(Nested.class);
        Nested value = new Nested(1, new Text(""), 2);
        byte[] bytes = new byte[Math.toIntExact(codec.size(value))];
        Arrays.fill(bytes, (byte) 'S');
        codec.write(value, MemorySegment.ofArray(bytes));
        assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).contains("short");
        assertThat(bytes).doesNotContain((byte) 'S');
    }

    @Test
    void records_whoseComponentsShrink_haveNoBytesOfOthers() {
        try (OffHeapCache<Long, Text> cache =
                OffHeapCache.<Long, Text>builder()
                        .keyCodec(Codec.longs())
                        .valueCodec(Codec.records(Text.class))
                        .pool(pool)
                        .build()) {
            cache.put(1L, new Text(SECRET));
            Text.longTimes = 1;
            cache.put(2L, new Text(""));
            String kept =
                    cache.read(
                            2L,
                            value ->
                                    new String(
                                            value.toArray(ValueLayout.JAVA_BYTE),
                                            StandardCharsets.ISO_8859_1));
            assertThat(kept).contains("short").doesNotContain("secret");
            Text read = cache.getIfPresent(2L);
            assertThat(read).extracting(text -> text.value).isEqualTo("short");
        }
    }

    /** Uses a stale handle of a heap of the program whenever it reads. */
    private static final class Stale extends ForeignStrings {
        private final RelocatingHeap heap;
        private final long handle;

        Stale(RelocatingHeap heap) {
            this.heap = heap;
            this.handle = heap.allocate(8);
            heap.free(handle);
        }

        @Override
        public String read(MemorySegment from) {
            return Long.toString(heap.getLong(handle, 0));
        }
    }

    /** It is not taken for a sign that another value is there. */
    @ParameterizedTest
    @ValueSource(ints = {1, 10_000})
    @SuppressWarnings("ReturnValueIgnored")
    void codec_thatUsesAStaleHandle_isNotAskedAgain(int length) {
        try (RelocatingHeap heap = pool.openHeap(HeapOptions.DEFAULT);
                OffHeapCache<Long, String> cache = longs().valueCodec(new Stale(heap)).build()) {
            cache.put(1L, "x".repeat(length));
            List<Runnable> uses =
                    List.of(
                            () -> cache.getIfPresent(1L),
                            () -> cache.read(1L, bytes -> new Stale(heap).read(bytes)),
                            () -> cache.asMap().containsValue("y"),
                            () -> cache.asMap().remove(1L),
                            () -> cache.asMap().remove(1L, "y"),
                            () -> cache.asMap().replace(1L, "y"),
                            () -> cache.asMap().compute(1L, (_, value) -> value));
            for (Runnable use : uses) {
                assertThatThrownBy(use::run).isInstanceOf(IllegalStateException.class);
            }
            assertThat(cache.size()).isEqualTo(1);
            cache.put(1L, "y");
        }
    }

    /** Strings; reads as its field says. */
    private static final class Reading extends ForeignStrings {
        private String fault = "";

        @Override
        @SuppressWarnings("NullAway") // what is tested
        public String read(MemorySegment from) {
            return switch (fault) {
                case "throws" -> throw new UnsupportedOperationException("by the test");
                case "null" -> null;
                default -> super.read(from);
            };
        }
    }

    private static List<Runnable> readers(OffHeapCache<String, String> cache) {
        ConcurrentMap<String, String> map = cache.asMap();
        return List.of(
                () -> cache.getIfPresent("a"),
                () -> cache.get("a", _ -> "new"),
                () -> map.put("a", "new"),
                () -> map.putIfAbsent("a", "new"),
                () -> map.remove("a"),
                () -> map.remove("a", "old"),
                () -> map.replace("a", "new"),
                () -> map.replace("a", "old", "new"),
                () -> map.compute("a", (_, _) -> "new"),
                () -> map.merge("a", "new", (_, last) -> last),
                () -> map.entrySet().iterator().next());
    }

    private void nothingChanges(String fault, String message) {
        Reading codec = new Reading();
        List<String> told = new ArrayList<>();
        try (OffHeapCache<String, String> cache =
                OffHeapCache.<String, String>builder()
                        .keyCodec(Codec.strings())
                        .valueCodec(codec)
                        .pool(pool)
                        .executor(Runnable::run)
                        .removalListener((_, value, _) -> told.add(value))
                        .build()) {
            cache.put("a", "old");
            for (Runnable reader : readers(cache)) {
                codec.fault = fault;
                assertThatThrownBy(reader::run).hasMessageContaining(message);
                codec.fault = "";
                assertThat(cache.getIfPresent("a")).isEqualTo("old");
            }
            assertThat(told).isEmpty();
            codec.fault = fault;
            cache.put("a", "other");
            cache.invalidate("a");
            codec.fault = "";
            assertThat(cache.size()).isZero();
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void valueCodec_thatThrowsWhenItReads_changesNothing() {
        nothingChanges("throws", "by the test");
    }

    @Test
    void valueCodec_thatReadsNull_isRefused() {
        nothingChanges("null", "a codec must not read null");
    }

    @Test
    void keyCodec_thatReadsNull_isRefused() {
        Reading codec = new Reading();
        try (OffHeapCache<String, String> cache =
                OffHeapCache.<String, String>builder()
                        .keyCodec(codec)
                        .valueCodec(Codec.strings())
                        .pool(pool)
                        .build()) {
            cache.put("a", "b");
            codec.fault = "null";
            assertThatThrownBy(() -> cache.asMap().keySet().iterator().next())
                    .hasMessageContaining("a codec must not read null");
            assertThat(cache.getIfPresent("a")).isEqualTo("b");
        }
    }
}
