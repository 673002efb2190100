package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/** Puts that wait for a loader of their key. */
@Timeout(300)
class WaitingPutTest extends CacheFixture {
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch loaded = new CountDownLatch(1);

    /** Has loaders of so many keys run, and something wait for each. */
    private void begin(OffHeapCache<Long, String> cache, int keys, List<Change> changes)
            throws InterruptedException {
        CountDownLatch loading = new CountDownLatch(keys);
        for (long i = 0; i < keys; i++) {
            long key = i;
            start(() -> cache.get(key, _ -> none(loading)));
        }
        loading.await();
        List<Thread> waiting = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            long key = i;
            Change change = changes.get(i % changes.size());
            waiting.add(start(() -> change.apply(cache, key)));
        }
        for (Thread each : waiting) {
            while (each.getState() != Thread.State.TIMED_WAITING) {
                Thread.sleep(1);
            }
        }
    }

    private interface Change {
        void apply(OffHeapCache<Long, String> cache, long key);
    }

    @SuppressWarnings("NullAway") // a loader without a value
    private String none(CountDownLatch loading) {
        loading.countDown();
        try {
            loaded.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return null;
    }

    private Thread start(Runnable task) {
        Thread started = Thread.ofVirtual().start(task);
        threads.add(started);
        return started;
    }

    private void end() throws InterruptedException {
        loaded.countDown();
        for (Thread each : threads) {
            each.join();
        }
    }

    private static final List<Change> PUTS =
            List.of(
                    (cache, key) -> cache.put(key, "mine"),
                    (cache, key) -> cache.asMap().put(key, "mine"),
                    (cache, key) -> cache.asMap().putIfAbsent(key, "mine"));

    @Test
    void puts_thatHaveWaited_keepMaximumEntries() throws Exception {
        try (OffHeapCache<Long, String> cache = longs().maximumEntries(10).build()) {
            begin(cache, 100, PUTS);
            end();
            assertThat(cache.size()).isPositive().isLessThanOrEqualTo(10);
            assertThat(cache.stats().evictions()).isEqualTo(100 - cache.size());
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void puts_thatHaveWaited_keepMaximumBytes() throws Exception {
        String value = "x".repeat(300_000);
        try (OffHeapCache<Long, String> cache = longs().maximumBytes(16 << 20).build()) {
            begin(cache, 100, List.of((used, key) -> used.put(key, value)));
            end();
            CacheStats stats = cache.stats();
            assertThat(stats.entryBytes() + stats.indexBytes())
                    .isPositive()
                    .isLessThanOrEqualTo(16 << 20);
            assertThat(stats.evictions() + stats.refusedPuts()).isEqualTo(100 - stats.entries());
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void puts_thatHaveWaited_liveForTheirWholeTime() throws Exception {
        try (OffHeapCache<Long, String> cache =
                longs().expireAfterWrite(Duration.ofNanos(100)).build()) {
            List<Change> changes = new ArrayList<>(PUTS);
            changes.add((used, key) -> used.put(key, "mine", Duration.ofNanos(100)));
            changes.add((used, key) -> used.put(key, "mine", Duration.ofNanos(Long.MAX_VALUE)));
            begin(cache, changes.size(), changes);
            clock.addAndGet(1000);
            end();
            for (long key = 0; key < changes.size(); key++) {
                assertThat(cache.getIfPresent(key)).isEqualTo("mine");
            }
            clock.addAndGet(99);
            assertThat(cache.getIfPresent(0L)).isEqualTo("mine");
            clock.addAndGet(1);
            for (long key = 0; key < changes.size() - 1; key++) {
                assertThat(cache.getIfPresent(key)).isNull();
            }
            assertThat(cache.getIfPresent(changes.size() - 1L)).isEqualTo("mine");
        }
    }

    /** Whoever has waited, for a loader or for the loader of others, is told what there is. */
    @Test
    void changes_thatHaveWaited_refuseAClosedCache() throws Exception {
        List<Change> changes = new ArrayList<>(PUTS);
        changes.add((cache, key) -> cache.asMap().remove(key));
        changes.add(OffHeapCache::invalidate);
        changes.add((cache, key) -> cache.get(key, _ -> "mine"));
        changes.add((cache, key) -> cache.asMap().compute(key, (_, _) -> "mine"));
        Queue<String> told = new ConcurrentLinkedQueue<>();
        List<Change> refused =
                changes.stream()
                        .map(
                                change ->
                                        (Change)
                                                (cache, key) -> {
                                                    try {
                                                        change.apply(cache, key);
                                                    } catch (IllegalStateException e) {
                                                        told.add(String.valueOf(e.getMessage()));
                                                    }
                                                })
                        .toList();
        OffHeapCache<Long, String> cache = longs().build();
        begin(cache, changes.size(), refused);
        cache.close();
        end();
        assertThat(told).hasSameSizeAs(changes).containsOnly("the cache is closed");
    }
}
