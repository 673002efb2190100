package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import javax.cache.Cache;
import javax.cache.CacheManager;

/** What is counted of a cache is what happens while its statistics are switched on. */
class StatisticsTest extends JCacheFixture {
    private static final int STEPS = 10_000;

    private final AtomicLong evicted = new AtomicLong();
    private final Statistics statistics = new Statistics(evicted::get);

    private Map<String, Long> figures() {
        return Map.of(
                "get hit", statistics.getCacheHits(),
                "get missed", statistics.getCacheMisses(),
                "put", statistics.getCachePuts(),
                "removed", statistics.getCacheRemovals(),
                "evicted", statistics.getCacheEvictions());
    }

    private void happens(String what) {
        long begin = statistics.begin();
        switch (what) {
            case "get hit" -> statistics.got(true, begin);
            case "get missed" -> statistics.got(false, begin);
            case "put" -> statistics.put(1, begin);
            case "removed" -> statistics.removed(1, begin);
            default -> evicted.incrementAndGet();
        }
    }

    @Test
    void figures_whileSwitchedOnAndOff_countWhatHappensWhileOn() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        Map<String, Long> expected = new HashMap<>(figures());
        boolean isOn = false;
        Map<String, Integer> mix = new HashMap<>();
        for (int step = 0; step < STEPS; step++) {
            String done = random.nextInt(50) == 0 ? "clear" : random.nextInt(3) == 0 ? "set" : "";
            switch (done) {
                case "clear" -> {
                    statistics.clear();
                    expected.replaceAll((_, _) -> 0L);
                }
                case "set" -> {
                    isOn = random.nextBoolean(); // it may be set to what it is
                    statistics.setOn(isOn);
                }
                default -> {
                    done = expected.keySet().toArray(String[]::new)[random.nextInt(5)];
                    happens(done);
                    expected.merge(done, isOn ? 1L : 0L, Long::sum);
                }
            }
            mix.merge(isOn ? done : done + " while off", 1, Integer::sum);
            assertThat(figures()).as("seed=%s step=%s", seed, step).isEqualTo(expected);
        }
        assertThat(mix).as("seed=%s", seed).hasSize(14);
    }

    @Test
    void figures_ofWhatBeganWhileOff_stay() {
        long begin = statistics.begin();
        statistics.setOn(true);
        statistics.got(true, begin);
        statistics.put(1, begin);
        statistics.removed(1, begin);
        assertThat(figures().values()).containsOnly(0L);
    }

    @Test
    void enableStatistics_ofACacheThatHasEvicted_countsFromThenOn() {
        CacheManager manager = manager("");
        Cache<Integer, Integer> cache =
                manager.createCache(
                        "cache", types(Integer.class, Integer.class).setMaximumEntries(10));
        for (int key = 0; key < 100; key++) {
            cache.put(key, key);
        }
        manager.enableStatistics("cache", true);
        Statistics counted = cache.unwrap(PolderCache.class).statistics();
        assertThat(counted.getCacheEvictions()).isZero();
        for (int key = 100; key < 130; key++) {
            cache.put(key, key);
        }
        assertThat(counted.getCacheEvictions()).isPositive().isLessThanOrEqualTo(30);
        long before = counted.getCacheEvictions();
        manager.enableStatistics("cache", false);
        for (int key = 200; key < 300; key++) {
            cache.put(key, key);
        }
        assertThat(counted.getCacheEvictions()).isEqualTo(before);
        manager.enableStatistics("cache", true);
        assertThat(counted.getCacheEvictions()).isEqualTo(before);
    }
}
