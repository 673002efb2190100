package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.Random;

/** Caches of several pages, so that entries leave page by page. */
class EvictionTest extends CacheFixture {
    private static final long MAX = 32 << 20;
    private static final int HOT = 200;

    private OffHeapCache<Long, byte[]> cache() {
        return OffHeapCache.<Long, byte[]>builder()
                .keyCodec(Codec.longs())
                .valueCodec(Codec.bytes())
                .maximumBytes(MAX)
                .recordStats()
                .pool(pool)
                .build();
    }

    private static void ask(OffHeapCache<Long, byte[]> cache, long key, int bytes) {
        if (cache.getIfPresent(key) == null) {
            cache.put(key, new byte[bytes]);
        }
    }

    /** Three times of what it may hold, in which some keys are asked for all the time. */
    @ParameterizedTest
    @ValueSource(ints = {500, 2000, 30_000})
    void put_muchMoreThanTheLimit_keepsWhatIsWanted(int bytes) {
        try (OffHeapCache<Long, byte[]> cache = cache()) {
            for (long key = HOT; key * bytes < 3 * MAX; key++) {
                cache.put(key, new byte[bytes]);
                ask(cache, key % HOT, bytes);
            }
            cache.cleanUp();
            long present = 0;
            for (long key = 0; key < HOT; key++) {
                present += cache.getIfPresent(key) != null ? 1 : 0;
            }
            assertThat(present).isGreaterThan(HOT * 9 / 10);
            assertThat(cache.size() * bytes).isGreaterThan(MAX / 2 * bytes / (bytes + 64));
            assertThat(cache.stats().heldBytes()).isLessThan(MAX + MAX / 4);
            assertThat(namesPages(cache.store().entries.heap)).isTrue();
            CacheCheck.verify(cache.store());
        }
    }

    /** Where there are more buckets than when it was found, it is in another one. */
    @Test
    void evict_byTheHash_findsAnEntryThatHasMoved() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            Store store = cache.store();
            int moved = 0;
            for (long key = 0; key < 16; key++) {
                cache.put(key, "a");
            }
            Scratch[] found = new Scratch[16];
            Arrays.setAll(found, key -> found(cache, key));
            long before = store.index.buckets();
            for (long key = 16; key < 4 * BucketLayout.LANES * before; key++) {
                cache.put(key, "a");
            }
            for (Scratch each : found) {
                long now = LinearHashing.bucket(each.hash, store.index.buckets());
                moved += now == LinearHashing.bucket(each.hash, before) ? 0 : 1;
                assertThat(store.evict(each.hash, each.handle, RemovalCause.SIZE)).isPositive();
            }
            assertThat(moved).isPositive();
            for (long key = 0; key < 16; key++) {
                assertThat(cache.getIfPresent(key)).isNull();
            }
            CacheCheck.verify(store);
        }
    }

    /** Of a cache whose index is as small as can be. Some keys are asked for, and stay longer. */
    @Test
    void put_oneThreadSmallCache_neverHasMoreEntriesThanTheLimit() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int i = 0; i < 30; i++) {
            int limit = 1 + random.nextInt(1 << (1 + random.nextInt(11)));
            int asked = random.nextInt(4);
            try (OffHeapCache<Long, Long> cache =
                    OffHeapCache.<Long, Long>builder()
                            .keyCodec(Codec.longs())
                            .valueCodec(Codec.longs())
                            .maximumEntries(limit)
                            .pool(pool)
                            .build()) {
                long most = 0;
                for (long key = 0; key < 2 * limit + 1000; key++) {
                    cache.put(key, key);
                    for (int k = 0; k < asked; k++) {
                        Long _ = cache.getIfPresent(key - random.nextInt(limit));
                    }
                    most = Math.max(most, cache.size());
                }
                assertThat(most).as("seed=%d, limit=%d", seed, limit).isEqualTo(limit);
            }
        }
    }

    private static boolean namesPages(RelocatingHeap heap) {
        return heap.nextOldest(0, new long[1]) != 0;
    }

    /** An entry that compaction or an error kept from its hand does not stay for ever. */
    @Test
    void forgottenOnProbation_leavesWhenMainIsPassedTwice() {
        try (OffHeapCache<Long, byte[]> cache = cache()) {
            for (long key = 0; key < 20_000; key++) {
                cache.put(key, new byte[1000]);
            }
            Store store = cache.store();
            store.entries.heap.free(store.entries.heap.allocate(5 << 20));
            long _ = store.entries.heap.compact();
            long[] handles = new long[256];
            long _ = store.entries.heap.nextOldest(0, handles);
            Scratch scratch = store.scratches.take();
            MainHand hand = new MainHand(store);
            long first =
                    Arrays.stream(handles)
                            .filter(each -> isYoung(store, each))
                            .findFirst()
                            .orElseThrow();
            long stopped = 0;
            for (int i = 0; i < 100_000 && stopped != first; i++) {
                stopped = hand.stop(scratch) ? scratch.rival.handle : 0;
                hand.pass(scratch.rival);
            }
            assertThat(stopped).isEqualTo(first);
            store.scratches.give(scratch);
        }
    }

    private static boolean isYoung(Store store, long handle) {
        Scratch scratch = store.scratches.take();
        try {
            return store.locate(handle, scratch.candidate, scratch)
                    && scratch.candidate.state() == BucketLayout.YOUNG;
        } finally {
            store.scratches.give(scratch);
        }
    }
}
