package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/** Entries that their codec cannot read, among others: who meets them is told which they are. */
class UnreadableEntriesTest extends CacheFixture {
    private static final int ENTRIES = 100;

    /** Strings; does not read those that begin with "bad". */
    private static final class Picky extends ForeignStrings {
        @Override
        public String read(MemorySegment from) {
            String read = super.read(from);
            if (read.startsWith("bad")) {
                throw new UnsupportedOperationException("by the test");
            }
            return read;
        }
    }

    private static boolean isBad(long key) {
        return key % 10 == 3;
    }

    /** Of which every tenth cannot be read. */
    private OffHeapCache<Long, String> filled(int length) {
        OffHeapCache<Long, String> cache = longs().valueCodec(new Picky()).build();
        for (long key = 0; key < ENTRIES; key++) {
            cache.put(key, (isBad(key) ? "bad" : "good").repeat(length));
        }
        return cache;
    }

    /** As most programs have it: what they do for one entry is in a try, and the question not. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3000})
    void iterator_goesOnAfterIt_andNamesTheKey(int length) {
        try (OffHeapCache<Long, String> cache = filled(length)) {
            TreeSet<Long> good = new TreeSet<>();
            TreeSet<Long> bad = new TreeSet<>();
            Iterator<Map.Entry<Long, String>> entries = cache.asMap().entrySet().iterator();
            while (entries.hasNext()) {
                try {
                    good.add(entries.next().getKey());
                } catch (IllegalStateException e) {
                    assertThat(e).hasCauseInstanceOf(UnsupportedOperationException.class);
                    assertThat(e).hasMessageContaining("by the test");
                    String after = Objects.requireNonNull(e.getMessage()).split("key=", 2)[1];
                    bad.add(Long.valueOf(after.substring(0, after.indexOf(','))));
                    assertThatThrownBy(entries::remove).isInstanceOf(IllegalStateException.class);
                }
            }
            assertThat(good).hasSize(90).noneMatch(UnreadableEntriesTest::isBad);
            assertThat(bad).hasSize(10).allMatch(UnreadableEntriesTest::isBad);
            assertThat(cache.size()).isEqualTo(ENTRIES);
        }
    }

    @Test
    void iteratorOfValues_throwsOnceForEach() {
        try (OffHeapCache<Long, String> cache = filled(1)) {
            Iterator<String> values = cache.asMap().values().iterator();
            int thrown = 0;
            int read = 0;
            while (values.hasNext()) {
                assertThat(values.hasNext()).isTrue();
                try {
                    assertThat(values.next()).isEqualTo("good");
                    read++;
                } catch (IllegalStateException _) {
                    thrown++;
                }
            }
            assertThat(read).isEqualTo(90);
            assertThat(thrown).isEqualTo(10);
        }
    }

    /** As docs/cache.md says. */
    @Test
    void keys_areMet_soThatSuchEntriesCanBeRemoved() {
        try (OffHeapCache<Long, String> cache = filled(1)) {
            for (long key : cache.asMap().keySet()) {
                try {
                    assertThat(cache.getIfPresent(key)).isEqualTo("good");
                } catch (UnsupportedOperationException _) {
                    cache.invalidate(key);
                }
            }
            assertThat(cache.asMap())
                    .hasSize(90)
                    .allSatisfy((_, value) -> assertThat(value).isEqualTo("good"));
        }
    }

    @Test
    void putAll_replacesThem() {
        try (OffHeapCache<Long, String> cache = filled(1)) {
            Map<Long, String> others = Map.of(3L, "other", 4L, "other", 1000L, "other");
            cache.asMap().putAll(others);
            assertThat(cache.getAllPresent(others.keySet())).isEqualTo(others);
        }
    }

    @Test
    void whoeverMeetsIt_isToldTheKey() {
        try (OffHeapCache<Long, String> cache = longs().valueCodec(new Picky()).build()) {
            cache.put(12345L, "bad");
            ConcurrentMap<Long, String> map = cache.asMap();
            List<ThrowingCallable> uses =
                    List.of(
                            () -> map.forEach((_, _) -> {}),
                            () -> map.values().forEach(_ -> {}),
                            () -> map.entrySet().stream().count(),
                            () -> map.containsValue("good"),
                            () -> map.values().contains("good"),
                            () -> map.equals(Map.of(12345L, "good")),
                            map::hashCode,
                            map::toString,
                            () -> cache.policy().hottest(1),
                            () -> cache.policy().coldest(1));
            for (int i = 0; i < uses.size(); i++) {
                assertThatThrownBy(uses.get(i))
                        .as("%d", i)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("key=12345, ")
                        .hasCauseInstanceOf(UnsupportedOperationException.class);
            }
        }
    }

    @Test
    void keyOfBytes_isNamedByThem() {
        try (OffHeapCache<byte[], String> cache =
                OffHeapCache.<byte[], String>builder()
                        .keyCodec(Codec.bytes())
                        .valueCodec(new Picky())
                        .pool(pool)
                        .build()) {
            cache.put(new byte[] {1, -1, 16}, "bad");
            assertThatThrownBy(() -> cache.asMap().values().iterator().next())
                    .hasMessageContaining("key=01ff10, ");
            cache.invalidateAll();
            cache.put(new byte[1000], "bad");
            assertThatThrownBy(() -> cache.asMap().values().iterator().next())
                    .hasMessageContaining("key=" + "0".repeat(200) + "..., ");
        }
    }

    @Test
    void keyThatCannotBeRead_isNamedByItsBytes() {
        try (OffHeapCache<String, String> cache =
                OffHeapCache.<String, String>builder()
                        .keyCodec(new Picky())
                        .valueCodec(Codec.strings())
                        .pool(pool)
                        .build()) {
            cache.put("bad", "value");
            Iterator<String> keys = cache.asMap().keySet().iterator();
            assertThat(keys.hasNext()).isTrue();
            assertThatThrownBy(keys::next)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the key of an entry must be readable: key=")
                    .hasMessageContaining("626164, ")
                    .hasCauseInstanceOf(UnsupportedOperationException.class);
            assertThat(keys.hasNext()).isFalse();
        }
    }

    /** A key that does not say which it is. */
    private record Silent(Supplier<String> said) {
        @Override
        public String toString() {
            return said.get();
        }
    }

    private static final class SilentFailure extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new UnsupportedOperationException("it has no message");
        }
    }

    /** Keys whose toString throws, is without end or returns null; and such failures of codecs. */
    @Test
    void keyThatSaysNothing_hidesNoFailure() {
        UnsupportedOperationException failure = new UnsupportedOperationException("by the test");
        Silent[] read = new Silent[1];
        RuntimeException[] thrown = {failure};
        try (OffHeapCache<Silent, String> cache =
                OffHeapCache.<Silent, String>builder()
                        .keyCodec(Codec.of("silent", _ -> new byte[] {7, -1}, _ -> read[0]))
                        .valueCodec(
                                Codec.of(
                                        "thrown",
                                        _ -> new byte[1],
                                        _ -> {
                                            throw thrown[0];
                                        }))
                        .pool(pool)
                        .build()) {
            Silent endless = new Silent(() -> String.valueOf(read[0]));
            Silent refusing =
                    new Silent(
                            () -> {
                                throw new IllegalArgumentException("key");
                            });
            for (Silent key : List.of(endless, refusing)) {
                read[0] = key;
                cache.put(key, "value");
                assertThatThrownBy(() -> cache.asMap().values().iterator().next())
                        .hasMessage("the value of an entry must be readable: key=07ff, " + failure)
                        .hasCause(failure);
            }
            read[0] = new Silent(() -> null);
            thrown[0] = new SilentFailure();
            assertThatThrownBy(() -> cache.asMap().values().iterator().next())
                    .hasMessage(
                            "the value of an entry must be readable: key=null, "
                                    + SilentFailure.class.getName())
                    .hasCause(thrown[0]);
        }
    }

    /** Throws what is checked, as codecs in other languages may. */
    private static final class Checked extends ForeignStrings {
        private boolean refusesAll;

        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
        private static <T extends Throwable> RuntimeException unchecked(Exception thrown) throws T {
            throw (T) thrown;
        }

        @Override
        public long size(String value) {
            if (refusesAll) {
                throw unchecked(new IOException("by the test"));
            }
            return super.size(value);
        }

        @Override
        public String read(MemorySegment from) {
            if (refusesAll) {
                throw unchecked(new IOException("by the test"));
            }
            return super.read(from);
        }
    }

    @Test
    void codecThatThrowsACheckedException_isOneThatThrows() {
        Checked codec = new Checked();
        try (OffHeapCache<Long, String> cache = longs().valueCodec(codec).build()) {
            cache.put(12345L, "value");
            codec.refusesAll = true;
            Iterator<String> values = cache.asMap().values().iterator();
            assertThat(values.hasNext()).isTrue();
            assertThatThrownBy(values::next)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("key=12345, ")
                    .hasCauseInstanceOf(IOException.class);
            codec.refusesAll = false;
            cache.asMap().compute(12345L, (_, _) -> "other");
            codec.refusesAll = true;
            assertThatThrownBy(() -> cache.asMap().containsValue("value"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("key=12345, ");
        }
    }
}
