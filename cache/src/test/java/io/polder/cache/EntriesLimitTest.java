package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Threads that put into a full cache at the same time: it keeps its limit, and no more entries
 * leave than must. Each key has a bucket of its own, so that a visit of one evicts one entry.
 */
@Timeout(300)
class EntriesLimitTest extends CacheFixture {
    private static final int ROUNDS = Boolean.getBoolean("polder.tests.full") ? 300 : 30;

    private static final int PUTS = 2_000;
    private static final long KEYS = 5;

    private OffHeapCache<Long, String> cache(int limit) {
        return longs().maximumEntries(limit)
                .hash(
                        (key, _) ->
                                MemorySegment.ofArray(key).get(ValueLayout.JAVA_LONG_UNALIGNED, 0))
                .build();
    }

    /**
     * Puts keys, of which each thread has some. Meanwhile each has one too many at most, but for
     * what comes while the thread that keeps the limits has lost its processor.
     */
    @SuppressWarnings("ThreadPriorityCheck")
    private static Callable<Void> puts(
            OffHeapCache<Long, String> cache, List<Long> keys, int most) {
        return () -> {
            for (long key : keys) {
                cache.put(key, "a");
                while (cache.size() > most) {
                    Thread.yield();
                }
            }
            return null;
        };
    }

    /** Each hit that a hand takes is given back at once. */
    @Test
    void put_whileAllEntriesAreReadWithoutAPause_keepsTheLimit() throws Exception {
        AtomicBoolean isDone = new AtomicBoolean();
        try (OffHeapCache<Long, String> cache = cache(4)) {
            Thread reader = Thread.ofPlatform().start(() -> read(cache, isDone));
            try {
                for (int i = 0; i < PUTS; i++) {
                    long limit = 1L + i % 4;
                    cache.policy().setMaximumEntries(limit);
                    assertThat(cache.size()).as("%d", i).isLessThanOrEqualTo(limit);
                    for (long key = 0; key < KEYS; key++) {
                        cache.put(key, "a");
                        assertThat(cache.size()).as("%d", i).isLessThanOrEqualTo(limit);
                    }
                }
            } finally {
                isDone.set(true);
                reader.join();
            }
            CacheCheck.verify(cache.store());
        }
    }

    private static void read(OffHeapCache<Long, String> cache, AtomicBoolean isDone) {
        while (!isDone.get()) {
            for (long key = 0; key < KEYS; key++) {
                String _ = cache.getIfPresent(key);
            }
        }
    }

    @Test
    void puts_ofSeveralThreads_keepExactlyTheLimit() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            long seed = new Random().nextLong();
            Random random = new Random(seed);
            int limit =
                    2 + random.nextInt(1 << (1 + random.nextInt(random.nextBoolean() ? 3 : 10)));
            int threads = 2 + random.nextInt(15);
            try (OffHeapCache<Long, String> cache = cache(limit);
                    ExecutorService executor = Executors.newFixedThreadPool(threads)) {
                List<Long> keys = new ArrayList<>();
                for (long key = 0; key < cache.store().index.buckets(); key++) {
                    keys.add(key);
                }
                for (int turn = 0; turn < 10; turn++) {
                    Collections.shuffle(keys, random);
                    List<Callable<Void>> puts = new ArrayList<>();
                    for (int i = 0; i < threads; i++) {
                        int from = keys.size() * i / threads;
                        int to = keys.size() * (i + 1) / threads;
                        puts.add(puts(cache, keys.subList(from, to), limit + threads - 1));
                    }
                    for (Future<Void> each : executor.invokeAll(puts)) {
                        Void _ = each.get();
                    }
                    assertThat(cache.size())
                            .as("turn=%d, limit=%d, threads=%d", turn, limit, threads)
                            .isEqualTo(Math.min(limit, keys.size()));
                    CacheCheck.verify(cache.store());
                }
            } catch (Exception | AssertionError thrown) {
                throw new AssertionError("seed=" + seed, thrown);
            }
        }
    }
}
