package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Several threads on one cache, while its index grows and shrinks and its heap is compacted.
 *
 * <p>A key has one writer, who numbers what he does: odd numbers are values, even ones removals. He
 * tells when he begins and when he has ended. So who reads at any time knows the first and the last
 * number that he may see.
 */
@Timeout(300)
class CacheThreadsTest extends CacheFixture {
    private static final int KEYS = 24_000;
    private static final int THREADS = 3;
    private static final Duration RUNNING = Duration.ofSeconds(3);

    private final AtomicLongArray begun = new AtomicLongArray(KEYS);
    private final AtomicLongArray ended = new AtomicLongArray(KEYS);
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicInteger checked = new AtomicInteger();

    private static String value(int key, long number, Random random) {
        String content = key + " " + number + " ";
        int length = random.nextInt(50) == 0 ? 5000 : random.nextInt(40);
        return content + "x".repeat(length) + content.hashCode();
    }

    private static long number(int key, String value) {
        String[] words = value.split(" ", 3);
        assertThat(words[0]).isEqualTo(Integer.toString(key));
        String content = words[0] + " " + words[1] + " ";
        assertThat(words[2]).endsWith(Integer.toString(content.hashCode()));
        return Long.parseLong(words[1]);
    }

    private void write(OffHeapCache<Long, String> cache, int key, Random random) {
        long next = begun.get(key) + 1;
        begun.set(key, next);
        if (next % 2 == 0) {
            cache.invalidate((long) key);
        } else {
            String value = value(key, next, random);
            switch (random.nextInt(3)) {
                case 0 -> cache.put((long) key, value);
                case 1 -> cache.asMap().compute((long) key, (_, _) -> value);
                default -> assertThat(cache.asMap().put((long) key, value)).isNull();
            }
        }
        ended.set(key, next);
    }

    private void read(OffHeapCache<Long, String> cache, int key, boolean evicts, Random random) {
        long first = ended.get(key);
        String seen =
                random.nextBoolean()
                        ? cache.getIfPresent((long) key)
                        : cache.read((long) key, segment -> Codec.strings().read(segment));
        long last = begun.get(key);
        if (seen != null) {
            assertThat(number(key, seen)).isBetween(first, last);
        } else if (!evicts) {
            assertThat(first % 2 == 0 || last > first).as("removed at some time").isTrue();
        }
        checked.incrementAndGet();
    }

    private void work(OffHeapCache<Long, String> cache, int thread, boolean evicts, Random random) {
        boolean grows = true;
        while (!stop.get()) {
            // Waves: most keys get values, then most lose them, so that the index grows and
            // shrinks.
            for (int i = 0; i < 12_000 && !stop.get(); i++) {
                int key = random.nextInt(KEYS / THREADS) * THREADS + thread;
                boolean isThere = begun.get(key) % 2 == 1;
                if (isThere != grows || random.nextInt(10) == 0) {
                    write(cache, key, random);
                }
                read(cache, random.nextInt(KEYS), evicts, random);
            }
            grows = !grows;
            if (thread == 0) {
                cache.cleanUp();
            }
        }
    }

    /** Whether what is tested has happened: a process that stands still does nothing. */
    private boolean hasMet(OffHeapCache<Long, String> cache, boolean evicts) {
        return checked.get() > 1000 && (!evicts || cache.stats().evictions() > 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anyThreads_seeOneOperationAtATime(boolean evicts) throws Exception {
        long seed = new Random().nextLong();
        OffHeapCacheBuilder<Long, String> builder = longs();
        if (evicts) {
            builder.maximumEntries(KEYS / 3);
        }
        try (OffHeapCache<Long, String> cache = builder.build();
                ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int mine = thread;
                running.add(
                        threads.submit(
                                () -> {
                                    try {
                                        work(cache, mine, evicts, new Random(seed + mine));
                                    } finally {
                                        stop.set(true);
                                    }
                                }));
            }
            long end = System.nanoTime() + RUNNING.toNanos();
            try {
                while ((System.nanoTime() < end || !hasMet(cache, evicts)) && !stop.get()) {
                    TimeUnit.MILLISECONDS.sleep(20);
                    for (Map.Entry<Long, String> each : cache.asMap().entrySet()) {
                        long _ = number(Math.toIntExact(each.getKey()), each.getValue());
                    }
                }
            } finally {
                stop.set(true);
            }
            for (Future<?> each : running) {
                each.get();
            }
            CacheCheck.verify(cache.store());
        } catch (Exception | AssertionError thrown) {
            throw new AssertionError("seed=" + seed, thrown);
        }
    }

    @Test
    void merge_byManyThreads_losesNothing() throws Exception {
        int rounds = 3000;
        try (OffHeapCache<Long, String> cache = longs().build();
                ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<?>> running = new ArrayList<>();
            ConcurrentMap<Long, String> map = cache.asMap();
            for (int thread = 0; thread < THREADS; thread++) {
                running.add(
                        threads.submit(
                                () -> {
                                    for (int i = 0; i < rounds; i++) {
                                        map.merge(i % 3L, "1", CacheThreadsTest::sum);
                                        increment(map, 10L);
                                    }
                                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
            for (long key = 0; key < 3; key++) {
                assertThat(map.get(key)).isEqualTo(Integer.toString(rounds * THREADS / 3));
            }
            assertThat(map.get(10L)).isEqualTo(Integer.toString(rounds * THREADS));
        }
    }

    private static String sum(String a, String b) {
        return Long.toString(Long.parseLong(a) + Long.parseLong(b));
    }

    private static void increment(ConcurrentMap<Long, String> map, long key) {
        while (true) {
            String known = map.putIfAbsent(key, "1");
            if (known == null || map.replace(key, known, sum(known, "1"))) {
                return;
            }
        }
    }

    @Test
    void get_byManyThreads_loadsOnce() throws Exception {
        AtomicInteger loads = new AtomicInteger();
        try (OffHeapCache<Long, String> cache = longs().build();
                ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (long round = 0; round < 20; round++) {
                long key = round;
                List<Future<String>> running = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    running.add(
                            threads.submit(
                                    () ->
                                            cache.get(
                                                    key,
                                                    _ -> "loaded " + loads.incrementAndGet())));
                }
                for (Future<String> each : running) {
                    assertThat(each.get()).isEqualTo("loaded " + (round + 1));
                }
            }
            assertThat(loads).hasValue(20);
        }
    }

    @Test
    void close_underLoad_refusesOrAnswers() throws Exception {
        for (int round = 0; round < 20; round++) {
            OffHeapCache<Long, String> cache = longs().maximumEntries(500).build();
            try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
                List<Future<?>> running = new ArrayList<>();
                for (int thread = 0; thread < THREADS; thread++) {
                    int mine = thread;
                    running.add(threads.submit(() -> useUntilClosed(cache, new Random(mine))));
                }
                try {
                    TimeUnit.MILLISECONDS.sleep(10);
                } finally {
                    cache.close(); // which is what ends the others
                }
                for (Future<?> each : running) {
                    each.get();
                }
            }
        }
    }

    private static void useUntilClosed(OffHeapCache<Long, String> cache, Random random) {
        try {
            while (true) {
                long key = random.nextInt(2000);
                cache.put(key, "value " + key);
                String value = cache.getIfPresent(key + 1);
                assertThat(value).isIn(null, "value " + (key + 1));
            }
        } catch (IllegalStateException closed) {
            assertThat(closed).hasMessageContainingAll("closed");
        }
    }
}
