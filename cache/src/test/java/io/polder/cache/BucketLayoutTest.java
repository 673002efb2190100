package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;

/** What a lane has of tags and handles. */
class BucketLayoutTest extends CacheFixture {
    private static final long KEY = 7;

    private static final int OBJECTS = 100_000;

    /** More than fit in a byte. */
    private static final int GENERATIONS = 257;

    private static void assertNamed(long handle, int tag, long heapPart) {
        int piece = BucketLayout.piece(tag, handle);
        short generation = BucketLayout.generation(handle);
        assertThat(BucketLayout.heapPart(handle)).isEqualTo(heapPart);
        assertThat(heapPart | BucketLayout.handle(piece, generation)).isEqualTo(handle);
        assertThat(BucketLayout.hasTag(piece, tag)).isTrue();
    }

    /** Otherwise the heap has its handles in another form than lanes. */
    @Test
    void heapPart_ofAllHandlesOfAHeap_isTheSame() {
        try (RelocatingHeap heap = pool.openHeap()) {
            long first = heap.allocate(8);
            long heapPart = BucketLayout.heapPart(first);
            for (int i = 0; i < OBJECTS; i++) {
                assertNamed(heap.allocate(8), i & 127, heapPart);
            }
            Set<Short> generations = new HashSet<>();
            long last = first;
            for (int i = 0; i < 10 * OBJECTS && generations.size() < GENERATIONS; i++) {
                heap.free(last);
                last = heap.allocate(8);
                assertNamed(last, i & 127, heapPart);
                generations.add(BucketLayout.generation(last));
            }
            assertThat(generations.size()).isEqualTo(GENERATIONS);
        }
    }

    @Test
    void heapPart_ofAnIndexThatLanesHaveNoBitsFor_isAnother() {
        long handle = 0x0102_0300_3FFF_FFFFL;
        assertNamed(handle, 127, 1L << 56);
        for (int bit = 30; bit < 40; bit++) {
            assertThat(BucketLayout.heapPart(handle | 1L << bit)).isNotEqualTo(1L << 56);
        }
    }

    @Test
    void tag_ofAnyHash_isInWordAndPiece() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 100_000; i++) {
            int tag = BucketLayout.tag(i < 128 ? (long) i << 57 : random.nextLong());
            int other = BucketLayout.tag(random.nextLong());
            int lane = random.nextInt(BucketLayout.LANES);
            int state = random.nextInt(8);
            long before = random.nextLong();
            int piece = BucketLayout.piece(tag, random.nextLong());

            long word = BucketLayout.with(before, lane, tag, state);

            assertThat(BucketLayout.tag(word, lane, piece)).isEqualTo(tag);
            assertThat(BucketLayout.state(word, lane)).isEqualTo(state);
            assertThat(BucketLayout.isFree(word, lane)).isFalse();
            assertThat(isMarked(BucketLayout.taken(word), lane)).isTrue();
            assertThat(isMarked(BucketLayout.free(word), lane)).isFalse();
            boolean isMain = BucketLayout.isMain(state);
            assertThat(isMarked(BucketLayout.main(word), lane)).isEqualTo(isMain);
            assertThat(isMarked(BucketLayout.onProbation(word), lane)).isEqualTo(!isMain);
            assertThat(BucketLayout.main(word) ^ BucketLayout.onProbation(word))
                    .isEqualTo(BucketLayout.taken(word));
            boolean found =
                    isMarked(BucketLayout.matches(word, other), lane)
                            && BucketLayout.hasTag(piece, other);
            assertThat(found).isEqualTo(tag == other);
            long changed = BucketLayout.with(word, lane, state ^ 5);
            assertThat(changed).isEqualTo(BucketLayout.with(before, lane, tag, state ^ 5));
            assertThat((changed ^ before) & ~(0xFFL << (8 * lane))).isZero();
        }
    }

    private static boolean isMarked(long marks, int lane) {
        for (long rest = marks; rest != 0; rest = BucketLayout.rest(rest)) {
            if (BucketLayout.first(rest) == lane) {
                return true;
            }
        }
        return false;
    }

    @Test
    void put_withAHandleThatLanesHaveNoBitsFor_isRefused() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            Entries entries = cache.store().entries;
            entries.indexMax = -1;
            cache.put(KEY, "small");
            cache.put(KEY + 1, "large".repeat(Scratch.ENTRY_BYTES));
            assertThat(cache.size()).isZero();
            assertThat(cache.stats().refusedPuts()).isEqualTo(2);
            entries.indexMax = BucketLayout.INDEX_MAX;
            cache.put(KEY, "small");
            assertThat(cache.getIfPresent(KEY)).isEqualTo("small");
            CacheCheck.verify(cache.store());
        }
    }

    /** Those of a bucket leave for one that is refused, until their handles are used again. */
    @Test
    void put_withoutAHandle_evictsFew() {
        String value = "a".repeat(100);
        try (OffHeapCache<Long, String> cache = longs().build()) {
            for (long key = 0; key < OBJECTS; key++) {
                cache.put(key, value);
            }
            cache.store().entries.indexMax = OBJECTS;
            for (long key = OBJECTS; key < 2 * OBJECTS; key++) {
                long evictions = cache.stats().evictions();
                cache.put(key, value);
                assertThat(cache.stats().evictions() - evictions).isLessThan(50);
            }
            assertThat(cache.stats().refusedPuts()).isBetween(1L, OBJECTS / 2L);
            assertThat(cache.size()).isGreaterThan(OBJECTS / 2);
            CacheCheck.verify(cache.store());
        }
    }
}
