package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;

/** Puts that have all made room for their entries before the first entry is there. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PutsAtOnceTest extends CacheFixture {
    private static final int PUTS = 70;

    /** All keys are in one bucket, whose monitor is held until all entries are made. */
    private void putAtOnce(OffHeapCache<Long, String> cache, String value) throws Exception {
        Store store = cache.store();
        List<Thread> threads = new ArrayList<>();
        synchronized (store.index.monitor(0)) {
            for (long key = 0; key < PUTS; key++) {
                long its = key;
                threads.add(Thread.ofPlatform().start(() -> cache.put(its, value)));
            }
            while (store.entries.heap.stats().liveObjects() < PUTS) {
                Thread.sleep(1);
            }
            assertThat(store.counts.entries.get()).isZero();
        }
        for (Thread each : threads) {
            each.join();
        }
    }

    @Test
    void puts_thatMadeRoomBeforeOthersCame_keepMaximumEntries() throws Exception {
        try (OffHeapCache<Long, String> cache =
                longs().maximumEntries(10).hash((_, _) -> 0).build()) {
            putAtOnce(cache, "mine");
            assertThat(cache.size()).isPositive().isLessThanOrEqualTo(10);
            assertThat(cache.stats().evictions()).isEqualTo(PUTS - cache.size());
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void puts_thatMadeRoomBeforeOthersCame_keepMaximumBytes() throws Exception {
        long limit = 16 << 20;
        try (OffHeapCache<Long, String> cache =
                longs().maximumBytes(limit).hash((_, _) -> 0).build()) {
            putAtOnce(cache, "x".repeat(300_000));
            CacheStats stats = cache.stats();
            assertThat(stats.entryBytes() + stats.indexBytes())
                    .isPositive()
                    .isLessThanOrEqualTo(limit);
            assertThat(stats.evictions()).isEqualTo(PUTS - stats.entries());
            CacheCheck.verify(cache.store());
        }
    }
}
