package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;

/** What counts of threads that ask for a key which one of them loads. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitingLoadersTest extends CacheFixture {
    private static final int WAITING = 9;

    private interface Loading {
        void load(OffHeapCache<Long, String> cache, Function<Long, String> loader);
    }

    /** One thread loads, and the others come meanwhile. */
    private static CacheStats afterLoading(
            OffHeapCache<Long, String> cache, Loading loading, String value) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Function<Long, String> loader =
                _ -> {
                    begun.countDown();
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    return value;
                };
        List<Thread> threads = new ArrayList<>();
        threads.add(Thread.ofPlatform().start(() -> loading.load(cache, loader)));
        begun.await();
        for (int i = 0; i < WAITING; i++) {
            Thread waiting = Thread.ofPlatform().start(() -> loading.load(cache, loader));
            threads.add(waiting);
            while (waiting.getState() != Thread.State.TIMED_WAITING) {
                Thread.sleep(1);
            }
        }
        end.countDown();
        for (Thread each : threads) {
            each.join();
        }
        return cache.stats();
    }

    @Test
    void get_whileAnotherThreadLoads_isAHit() throws Exception {
        List<Loading> loadings =
                List.of(
                        (cache, loader) -> cache.get(1L, loader),
                        (cache, loader) -> cache.asMap().computeIfAbsent(1L, loader));
        for (Loading loading : loadings) {
            try (OffHeapCache<Long, String> cache = longs().build()) {
                CacheStats stats = afterLoading(cache, loading, "loaded");
                assertThat(stats.misses()).isOne();
                assertThat(stats.hits()).isEqualTo(WAITING);
                assertThat(stats.loads()).isOne();
                String _ = cache.get(1L, _ -> "other");
                assertThat(cache.stats().hits()).isEqualTo(WAITING + 1);
            }
        }
    }

    @Test
    @SuppressWarnings("NullAway") // a loader without a value
    void get_whileAnotherThreadLoadsNothing_isAMiss() throws Exception {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            CacheStats stats = afterLoading(cache, (used, loader) -> used.get(1L, loader), null);
            assertThat(stats.misses()).isEqualTo(WAITING + 1);
            assertThat(stats.hits()).isZero();
            assertThat(stats.loadFailures()).isEqualTo(WAITING + 1);
        }
    }
}
