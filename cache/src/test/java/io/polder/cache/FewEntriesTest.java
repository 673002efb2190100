package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;

/** Caches that may have few entries: their index is small, and can grow all the same. */
class FewEntriesTest extends CacheFixture {
    private static final int BUCKETS_MIN = 16;
    private static final int LATER = 20_000; // more than 2 * 1024 + 100 buckets have

    private OffHeapCache<Long, String> cache(long entriesMax) {
        return longs().maximumEntries(entriesMax).build();
    }

    private static void putTwice(OffHeapCache<Long, String> cache, long keys) {
        for (int i = 0; i < 2; i++) {
            for (long key = 0; key < keys; key++) {
                cache.put(key, "a");
            }
        }
    }

    /**
     * Who looks for an entry to evict passes few that are empty. All of a bucket whose probation is
     * over leave together, so a few may be missing until others come.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 10, 100, 1000, 5000})
    void put_ofFewEntries_hasTwoBucketsForEachAtMost(long entries) {
        try (OffHeapCache<Long, String> cache = cache(entries)) {
            putTwice(cache, 2 * entries);
            assertThat(cache.size()).isBetween(Math.max(1, entries - BucketLayout.LANES), entries);
            assertThat(cache.store().index.buckets())
                    .isBetween(entries / 8, Math.max(BUCKETS_MIN, 2 * entries));
            CacheCheck.verify(cache.store());
        }
    }

    /** Each bucket has one monitor, however many there are. */
    @Test
    void setMaximumEntries_muchMoreAndFewAgain_theIndexFollows() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        try (OffHeapCache<Long, String> cache = cache(1)) {
            Index index = cache.store().index;
            assertMonitorsOfBuckets(index, random);
            cache.policy().setMaximumEntries(LATER);
            for (long key = 0; key < LATER; key++) {
                cache.put(key, "a");
                if (key % 1000 == 0) {
                    assertMonitorsOfBuckets(index, random);
                }
            }
            for (long key = 0; key < LATER; key++) {
                assertThat(cache.getIfPresent(key)).as("seed=%d, key=%d", seed, key).isEqualTo("a");
            }
            assertThat(index.buckets()).isGreaterThan(LATER / 8);
            CacheCheck.verify(cache.store());

            cache.policy().setMaximumEntries(1);
            cache.cleanUp();
            assertThat(cache.size()).isOne();
            assertThat(index.buckets()).isEqualTo(BUCKETS_MIN);
            CacheCheck.verify(cache.store());
        }
    }

    private static void assertMonitorsOfBuckets(Index index, Random random) {
        for (int i = 0; i < 100; i++) {
            long hash = random.nextLong();
            long bucket = LinearHashing.bucket(hash, index.buckets());
            assertThat(index.monitor(hash)).isSameAs(index.monitor(bucket));
        }
    }

    /** Counters do not move before there are more buckets than places for them. */
    @Test
    void count_whileTheIndexGrows_isKept() {
        try (OffHeapCache<Long, String> cache = cache(LATER)) {
            assertCountsAreKept(cache);
        }
        try (OffHeapCache<Long, String> cache = cache(100)) {
            cache.policy().setMaximumEntries(LATER);
            assertCountsAreKept(cache);
        }
    }

    private static void assertCountsAreKept(OffHeapCache<Long, String> cache) {
        Index index = cache.store().index;
        long hash = 0x1234_5678_9ABC_DEF0L;
        cache.store().counts.entries.set(LATER); // counters are halved by that
        for (int i = 0; i < 5; i++) {
            index.count(hash);
        }
        cache.store().counts.entries.set(0);
        long before = index.buckets();
        while (index.buckets() < 2 * before + 100) {
            cache.store().resizing.step(LATER, 1);
            assertThat(index.frequency(hash)).isEqualTo(5);
        }
    }

    /** Somebody asks how often a key was wanted while the index shrinks, and stands still. */
    @Test
    void frequency_ofCountersThatWentBack_isZero() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            Index index = cache.store().index;
            while (index.buckets() < LATER) {
                cache.store().resizing.step(Long.MAX_VALUE / 100, 1000);
            }
            cache.store().counts.entries.set(LATER); // counters are halved by that
            index.count(LATER - 1L);
            cache.store().counts.entries.set(0);
            assertThat(index.frequency(LATER - 1L)).isOne();
            cache.store().lines.shrinkUpper(Index.linesFor(index.bucketsMin()));
            assertThat(index.frequency(LATER - 1L)).isZero();
        }
    }

    /** Less than one entry is to be on probation: new ones have rivals all the same. */
    @Test
    void loop_ofTwiceAFewEntries_hasHits() {
        int hits = 0;
        try (OffHeapCache<Long, String> cache =
                longs().maximumEntries(10).hash(Hash.seeded(1)).build()) {
            for (long i = 0; i < 10_000; i++) {
                if (cache.getIfPresent(i % 20) != null) {
                    hits++;
                } else {
                    cache.put(i % 20, "a");
                }
            }
        }
        assertThat(hits).isGreaterThan(3000);
    }
}
