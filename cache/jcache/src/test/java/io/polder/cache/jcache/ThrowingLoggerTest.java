package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.cache.Codec;
import io.polder.cache.OffHeapCache;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;

import javax.cache.Cache;
import javax.cache.configuration.MutableCacheEntryListenerConfiguration;
import javax.cache.event.CacheEntryCreatedListener;

/** A logger that throws, as its handlers may where the Java heap is full, fails nothing. */
class ThrowingLoggerTest extends JCacheFixture {
    private final Logger logger = Logger.getLogger("io.polder.cache");

    @BeforeEach
    void haveItThrow() {
        logger.setFilter(ThrowingLoggerTest::refuse);
        Logger.getLogger("io.polder.cache.jcache").setFilter(ThrowingLoggerTest::refuse);
    }

    /** The log is told of that. */
    private static void refuse() {
        throw new IllegalStateException("by the test");
    }

    private static boolean refuse(Object message) {
        throw new NoClassDefFoundError("by the test, of " + message.getClass());
    }

    @AfterEach
    void haveItLog() {
        logger.setFilter(null);
        Logger.getLogger("io.polder.cache.jcache").setFilter(null);
    }

    @Test
    void removalListener_thatThrows_failsNoOperation() {
        AtomicInteger told = new AtomicInteger();
        try (OffHeapCache<Long, Long> cache =
                OffHeapCache.<Long, Long>builder()
                        .keyCodec(Codec.longs())
                        .valueCodec(Codec.longs())
                        .executor(Runnable::run)
                        .removalListener(
                                (_, _, _) -> {
                                    told.getAndIncrement();
                                    throw new AssertionError("by the test");
                                })
                        .build()) {
            for (long key = 0; key < 5; key++) {
                cache.put(key, key);
            }
            assertThat(cache.asMap().put(1L, 2L)).isEqualTo(1);
            cache.invalidateAll();
            assertThat(told).hasValue(6);
        }
    }

    @Test
    void asynchronousListener_thatThrows_isToldOfLaterEvents() throws InterruptedException {
        CountDownLatch told = new CountDownLatch(2);
        CacheEntryCreatedListener<Integer, Integer> listener =
                _ -> {
                    told.countDown();
                    throw new AssertionError("by the test");
                };
        PolderConfiguration<Integer, Integer> configuration = types(Integer.class, Integer.class);
        configuration.addCacheEntryListenerConfiguration(
                new MutableCacheEntryListenerConfiguration<>(() -> listener, null, false, false));
        Cache<Integer, Integer> cache = cache(configuration);
        cache.put(1, 10);
        cache.put(2, 20);
        assertThat(told.await(200, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void close_whoseListenerCannotBeClosed_isDone() {
        AtomicInteger closes = new AtomicInteger();
        PolderConfiguration<Integer, Integer> configuration = types(Integer.class, Integer.class);
        configuration.addCacheEntryListenerConfiguration(
                new MutableCacheEntryListenerConfiguration<>(
                        () -> new RegistrationTest.Stuck(closes, ThrowingLoggerTest::refuse),
                        null,
                        false,
                        false));
        cache(configuration).close();
        assertThat(closes).hasValue(1);
    }
}
