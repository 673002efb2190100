package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.NotSerializableException;
import java.io.ObjectInputFilter;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Codecs that do what they must not: nobody else's bytes are in an entry, and nothing changes. */
@Timeout(300)
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

    /** Once it uses a stale handle of a heap of the program. */
    record Careless(int value) {
        private static Runnable use = () -> {};

        Careless {
            useOnce();
        }

        private static void useOnce() {
            Runnable once = use;
            use = () -> {};
            once.run();
        }
    }

    @Test
    @SuppressWarnings("ReturnValueIgnored")
    void record_thatUsesAStaleHandle_isNotMadeAgain() {
        try (RelocatingHeap heap = pool.openHeap(HeapOptions.DEFAULT);
                OffHeapCache<Long, Careless> cache =
                        OffHeapCache.<Long, Careless>builder()
                                .keyCodec(Codec.longs())
                                .valueCodec(Codec.records(Careless.class))
                                .pool(pool)
                                .build()) {
            Stale stale = new Stale(heap);
            cache.put(1L, new Careless(7));
            List<Runnable> uses =
                    List.of(
                            () -> cache.getIfPresent(1L),
                            () -> cache.asMap().remove(1L),
                            () -> cache.asMap().compute(1L, (_, value) -> value));
            for (Runnable use : uses) {
                Careless.use = () -> stale.read(MemorySegment.NULL);
                assertThatThrownBy(use::run)
                        .isExactlyInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("stale handle");
            }
            assertThat(cache.getIfPresent(1L)).isEqualTo(new Careless(7));
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

    /** Equal to others of its name, whether a codec refuses it or not. */
    private static final class Name {
        private final String text;
        private final boolean isRefused;

        Name(String text, boolean isRefused) {
            this.text = text;
            this.isRefused = isRefused;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Name name && name.text.equals(text);
        }

        @Override
        public int hashCode() {
            return text.hashCode();
        }
    }

    /** Refuses names by what it throws when it is asked for the size, or when it writes. */
    private static final class Refusing implements Codec<Name> {
        private final RuntimeException refusal;
        private final boolean refusesWhenItWrites;

        Refusing(RuntimeException refusal, boolean refusesWhenItWrites) {
            this.refusal = refusal;
            this.refusesWhenItWrites = refusesWhenItWrites;
        }

        private void check(Name value, boolean writes) {
            if (value.isRefused && writes == refusesWhenItWrites) {
                throw refusal;
            }
        }

        @Override
        public long size(Name value) {
            check(value, false);
            return Codec.strings().size(value.text);
        }

        @Override
        public void write(Name value, MemorySegment to) {
            check(value, true);
            Codec.strings().write(value.text, to);
        }

        @Override
        public Name read(MemorySegment from) {
            return new Name(Codec.strings().read(from), false);
        }
    }

    private static final Name OLD = new Name("old", false);
    private static final Name NEW = new Name("new", false);

    /** What throws when the codec of keys refuses a key. */
    private static List<ThrowingCallable> usesOfKey(OffHeapCache<Name, Name> cache, Name key) {
        ConcurrentMap<Name, Name> map = cache.asMap();
        return List.of(
                () -> cache.getIfPresent(key),
                () -> cache.put(key, NEW),
                () -> cache.invalidate(key),
                () -> map.containsKey(key),
                () -> map.get(key),
                () -> map.getOrDefault(key, NEW),
                () -> map.remove(key),
                () -> map.remove(key, NEW),
                () -> map.replace(key, NEW),
                () -> map.replace(key, NEW, NEW),
                () -> map.keySet().contains(key),
                () -> map.keySet().remove(key),
                () -> map.entrySet().contains(Map.entry(key, NEW)),
                () -> map.entrySet().remove(Map.entry(key, NEW)));
    }

    /** What throws when the codec of values refuses a value. */
    private static List<ThrowingCallable> puts(OffHeapCache<Name, Name> cache, Name value) {
        Name key = new Name("a", false);
        ConcurrentMap<Name, Name> map = cache.asMap();
        return List.of(
                () -> cache.put(key, value),
                () -> map.put(key, value),
                () -> map.putIfAbsent(NEW, value),
                () -> map.replace(key, value),
                () -> map.replace(key, OLD, value),
                () -> map.compute(key, (_, _) -> value),
                () -> map.merge(key, value, (_, last) -> last),
                () -> map.entrySet().iterator().next().setValue(value));
    }

    /** What finds an equal value, and changes nothing if there is none. */
    private static List<BooleanSupplier> questions(OffHeapCache<Name, Name> cache, Name value) {
        Name key = new Name("a", false);
        ConcurrentMap<Name, Name> map = cache.asMap();
        return List.of(
                () -> map.containsValue(value),
                () -> map.values().contains(value),
                () -> map.values().containsAll(List.of(value)),
                () -> map.entrySet().contains(Map.entry(key, value)),
                () -> map.equals(Map.of(key, value)),
                () -> map.replace(key, value, OLD),
                () -> map.entrySet().remove(Map.entry(key, value)) && map.put(key, OLD) == null,
                () -> map.values().remove(value) && map.put(key, OLD) == null,
                () -> map.remove(key, value) && map.put(key, OLD) == null);
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                        new ClassCastException("by the test"),
                        new UncheckedIOException(new NotSerializableException("by the test")),
                        new IllegalArgumentException("by the test"),
                        new IllegalStateException("by the test"),
                        new NullPointerException("by the test"),
                        new UnsupportedOperationException("by the test"))
                .flatMap(each -> Stream.of(true, false).map(late -> Arguments.of(each, late)));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void keyOrValue_thatItsCodecRefuses_changesNothing(RuntimeException refusal, boolean late) {
        Refusing codec = new Refusing(refusal, late);
        try (OffHeapCache<Name, Name> cache =
                OffHeapCache.<Name, Name>builder()
                        .keyCodec(codec)
                        .valueCodec(codec)
                        .pool(pool)
                        .build()) {
            cache.put(new Name("a", false), OLD);
            List<ThrowingCallable> refused = new ArrayList<>(puts(cache, new Name("old", true)));
            refused.addAll(usesOfKey(cache, new Name("a", true)));
            for (int i = 0; i < refused.size(); i++) {
                assertThatThrownBy(refused.get(i)).as("%d", i).isSameAs(refusal);
            }
            List<BooleanSupplier> inVain = questions(cache, new Name("not there", true));
            List<BooleanSupplier> found = questions(cache, new Name("old", true));
            for (int i = 0; i < found.size(); i++) {
                assertThat(inVain.get(i).getAsBoolean()).as("%d", i).isFalse();
                assertThat(found.get(i).getAsBoolean()).as("%d", i).isTrue();
            }
            assertThat(cache.asMap()).isEqualTo(Map.of(new Name("a", false), OLD));
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"}) // what is tested
    void javaSerialization_ofWhatItRefuses_isNotThere() {
        Codec<ArrayList> lists =
                Codec.javaSerialization(ArrayList.class, _ -> ObjectInputFilter.Status.ALLOWED);
        try (OffHeapCache<Long, Serializable> cache =
                OffHeapCache.<Long, Serializable>builder()
                        .keyCodec(Codec.longs())
                        .valueCodec((Codec<Serializable>) (Codec) lists)
                        .pool(pool)
                        .build()) {
            cache.put(1L, new ArrayList<>(List.of("a")));
            ConcurrentMap<Long, Serializable> map = cache.asMap();
            Serializable refused = new ArrayList<>(List.of(new Object()));
            assertThat(map.containsValue(refused)).isFalse();
            assertThat(map.containsValue(new Object())).isFalse();
            assertThat(map.remove(1L, refused)).isFalse();
            assertThat(map.replace(1L, refused, "b")).isFalse();
            assertThat(map.entrySet().contains(Map.entry(1L, refused))).isFalse();
            assertThat(map.containsValue(new ArrayList<>(List.of("a")))).isTrue();
            assertThat(map.containsValue(List.of("a"))).as("equal").isTrue();
            assertThatThrownBy(() -> cache.put(1L, refused))
                    .isInstanceOf(UncheckedIOException.class);
            assertThatThrownBy(() -> cache.put(1L, "of another class"))
                    .isInstanceOf(ClassCastException.class);
            assertThat(cache.getIfPresent(1L)).isEqualTo(List.of("a"));
        }
    }
}
