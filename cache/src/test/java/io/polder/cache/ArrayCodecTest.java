package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Codecs by functions that make and take arrays. */
class ArrayCodecTest extends CacheFixture {
    private final AtomicInteger made = new AtomicInteger();

    private final Codec<BigInteger> numbers =
            Codec.of(
                    "numbers",
                    value -> {
                        made.incrementAndGet();
                        return value.toByteArray();
                    },
                    BigInteger::new);

    private OffHeapCache<BigInteger, BigInteger> open(Codec<BigInteger> values) {
        return OffHeapCache.<BigInteger, BigInteger>builder()
                .keyCodec(numbers)
                .valueCodec(values)
                .pool(pool)
                .build();
    }

    @Test
    void put_makesEachArrayOnce() {
        try (OffHeapCache<BigInteger, BigInteger> cache = open(numbers)) {
            cache.put(BigInteger.ONE, BigInteger.TEN);
            assertThat(made).hasValue(2);
            assertThat(cache.getIfPresent(BigInteger.ONE)).isEqualTo(BigInteger.TEN);
            assertThat(made).hasValue(3);
        }
    }

    /** One codec for all: what another thread has asked the size of is not written. */
    @Test
    void values_areTheirOwn_whereThreadsPutAtTheSameTime() throws Exception {
        try (OffHeapCache<BigInteger, BigInteger> cache = open(numbers);
                ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                int seed = thread;
                all.add(threads.submit(() -> putAndGet(cache, seed)));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
    }

    private static void putAndGet(OffHeapCache<BigInteger, BigInteger> cache, int seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            BigInteger value = new BigInteger(random.nextInt(1, 40_000), random);
            BigInteger key = BigInteger.valueOf(seed * 10 + i % 10);
            cache.put(key, value);
            assertThat(cache.getIfPresent(key)).isEqualTo(value);
        }
    }

    @Test
    void functionThatReturnsNull_isRefused() {
        @SuppressWarnings("NullAway") // what is tested
        Codec<BigInteger> bad = Codec.of("bad", _ -> null, BigInteger::new);
        try (OffHeapCache<BigInteger, BigInteger> cache = open(bad)) {
            assertThatThrownBy(() -> cache.put(BigInteger.ONE, BigInteger.TEN))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("what toBytes returns");
            assertThat(cache.asMap()).isEmpty();
        }
    }

    @Test
    void files_areOfAFormat() {
        assertThat(numbers.format()).isEqualTo("numbers");
    }
}
