package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.EnumSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** While somebody reads an entry, nothing is compacted: the cache must not grow without bound. */
@Timeout(300)
class StuckReaderTest extends CacheFixture {
    private static final long MOST = 16 << 20;

    /** Measured now and then: so much may be put in between. */
    private static final long MEASURED_EVERY = 4 << 20;

    /** It is read where it is; smaller ones are copied, and hold nobody up. */
    private static final String LARGE = "a".repeat(5000);

    private static void stay(CountDownLatch inside, CountDownLatch leave) {
        inside.countDown();
        try {
            assertThat(leave.await(200, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void put_whileSomebodyReads_staysWithinTwiceTheLimit() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        AtomicInteger told = new AtomicInteger();
        String value = "v".repeat(5000);
        try (OffHeapCache<Long, String> cache =
                        longs().maximumBytes(MOST)
                                .removalListener((_, _, _) -> told.getAndIncrement())
                                .build();
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            cache.put(-1L, LARGE);
            Future<?> reader =
                    threads.submit(
                            () ->
                                    cache.read(
                                            -1L,
                                            _ -> {
                                                stay(inside, leave);
                                                return 0;
                                            }));
            try {
                inside.await();
                long puts = 6 * MOST / value.length();
                for (long key = 0; key < puts; key++) {
                    cache.put(key, value);
                }
                assertThat(cache.stats().heldBytes()).isLessThan(2 * MOST + MEASURED_EVERY);
                assertThat(cache.stats().refusedPuts()).isPositive();
                assertThat(cache.size() + told.get()).isEqualTo(puts + 1);
            } finally {
                leave.countDown();
            }
            assertThat(reader.get(200, TimeUnit.SECONDS)).isEqualTo(0);
            cache.cleanUp();
            cache.put(1L, value);
            assertThat(cache.getIfPresent(1L)).isEqualTo(value);
            assertThat(cache.stats().heldBytes()).isLessThan(MOST + MEASURED_EVERY);
            CacheCheck.verify(cache.store());
        }
    }

    /** Which makes other objects of them; where none may be made, an entry is evicted, and told. */
    @Test
    void entriesThatExpireEarlier_whileSomebodyReads_stayWithinTwiceTheLimit() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        AtomicInteger told = new AtomicInteger();
        String value = "v".repeat(2000);
        try (OffHeapCache<Long, String> cache =
                        longs().maximumBytes(MOST)
                                .expireAfterAccess(Duration.ofDays(2))
                                .removalListener(
                                        (_, _, _) -> told.getAndIncrement(),
                                        EnumSet.of(RemovalCause.SIZE))
                                .build();
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            cache.put(-1L, LARGE);
            long puts = MOST / 2 / value.length();
            for (long key = 0; key < puts; key++) {
                cache.put(key, value);
            }
            Future<?> reader =
                    threads.submit(
                            () ->
                                    cache.read(
                                            -1L,
                                            _ -> {
                                                stay(inside, leave);
                                                return 0;
                                            }));
            try {
                inside.await();
                for (long i = 0; i < 10 * puts; i++) {
                    Duration lifetime = Duration.ofDays(1).minusSeconds(i);
                    boolean _ = cache.policy().setExpiresIn(i % puts, lifetime);
                }
                assertThat(cache.stats().heldBytes()).isLessThan(2 * MOST + MEASURED_EVERY);
                assertThat(cache.stats().evictions()).isPositive().isEqualTo(told.get());
                assertThat(cache.size() + told.get()).isEqualTo(puts + 1);
            } finally {
                leave.countDown();
            }
            assertThat(reader.get(200, TimeUnit.SECONDS)).isEqualTo(0);
            cache.cleanUp();
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void cleanUp_whileSomebodyReads_doesNotWaitForHim() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        String value = "v".repeat(5000);
        try (OffHeapCache<Long, String> cache = longs().maximumBytes(4 * MOST).build();
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            for (long key = 0; key < 3 * MOST / value.length(); key++) {
                cache.put(key, value);
            }
            Future<?> reader =
                    threads.submit(
                            () ->
                                    cache.read(
                                            0L,
                                            _ -> {
                                                stay(inside, leave);
                                                return 0;
                                            }));
            try {
                inside.await();
                cache.policy().setMaximumBytes(MOST);
                cache.cleanUp();
                assertThat(reader.isDone()).isFalse();
                assertThat(cache.stats().entryBytes()).isLessThanOrEqualTo(MOST);
                assertThat(cache.size()).isPositive();
            } finally {
                leave.countDown();
            }
            assertThat(reader.get(200, TimeUnit.SECONDS)).isEqualTo(0);
            while (cache.stats().heldBytes() > MOST + MEASURED_EVERY) {
                Thread.sleep(10); // nobody has to ask again
            }
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void cleanUp_inAFunctionThatReads_isLeftToOthers() {
        try (OffHeapCache<Long, String> cache = longs().maximumBytes(MOST).build()) {
            cache.put(1L, LARGE);
            Integer read =
                    cache.read(
                            1L,
                            _ -> {
                                cache.cleanUp();
                                return 2;
                            });
            assertThat(read).isEqualTo(2);
            cache.cleanUp();
            assertThat(cache.getIfPresent(1L)).isEqualTo(LARGE);
        }
    }
}
