package io.polder.cache.caffeine;

import static org.assertj.core.api.Assertions.assertThat;

import com.esotericsoftware.kryo.Kryo;
import com.google.protobuf.StringValue;

import io.polder.MemoryPool;
import io.polder.cache.Codec;
import io.polder.cache.OffHeapCache;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;

/** What docs/cache.md shows of codecs by libraries. */
class CodecSnippetsTest {
    private final long seed = System.nanoTime();

    /** What no codec of ours takes. */
    record Order(long id, Instant at, List<String> lines) {}

    private String text(Random random) {
        return "x\u00e9\u20ac".repeat(random.nextInt(1 << random.nextInt(13)));
    }

    private Order order(int id) {
        Random random = new Random(seed + id);
        return new Order(
                id,
                Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000)),
                IntStream.range(0, random.nextInt(4)).mapToObj(_ -> text(random)).toList());
    }

    private <T> void assertKept(Codec<T> codec, Function<Integer, T> values) {
        try (MemoryPool pool = MemoryPool.builder().build();
                OffHeapCache<Integer, T> cache =
                        OffHeapCache.<Integer, T>builder()
                                .keyCodec(Codec.ints())
                                .valueCodec(codec)
                                .pool(pool)
                                .build()) {
            for (int i = 0; i < 200; i++) {
                cache.put(i, values.apply(i));
            }
            for (int i = 0; i < 200; i++) {
                assertThat(cache.getIfPresent(i))
                        .as("seed %d, %d", seed, i)
                        .isEqualTo(values.apply(i));
            }
        }
    }

    @Test
    void smile_keepsRecords() {
        assertKept(CodecSnippets.smile(Order.class), this::order);
    }

    @Test
    void kryo_keepsRecords() {
        ThreadLocal<Kryo> kryo =
                ThreadLocal.withInitial(
                        () -> {
                            Kryo made = new Kryo();
                            made.setRegistrationRequired(false);
                            return made;
                        });
        record Words(int id, String text) {}
        assertKept(
                CodecSnippets.kryo(Words.class, kryo),
                id -> new Words(id, text(new Random(seed + id))));
    }

    @Test
    void protobuf_keepsMessages_withoutAnArray() {
        assertKept(
                new CodecSnippets.Protobuf<>(StringValue.parser(), "google.protobuf.StringValue"),
                id -> StringValue.of(text(new Random(seed + id))));
    }
}
