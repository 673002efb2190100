package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** A bucket is to be split that has more lines than are ready: the copies are taken back. */
class SplitWithoutLinesTest extends CacheFixture {
    /** What is split off from bucket 5; all keys from here on go there. */
    private static final long MADE = Index.STRIPES_MAX + 5;

    private static final long FIRST_OF_MADE = 1_000_000;

    /** They need some 400 lines. */
    private static final int KEYS_OF_MADE = 3300;

    /** More than are made ready before a split, and fewer than it needs. */
    private static final long SPARE_LINES = Resizing.SPARE_LINES + 50;

    private static long hash(byte[] bytes) {
        long key = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong();
        return key < FIRST_OF_MADE ? key * 0x9E37_79B9_7F4A_7C15L : MADE | 9L << 57;
    }

    private static void assertAllThere(OffHeapCache<Long, String> cache, long others) {
        for (long key = 0; key < others; key++) {
            assertThat(cache.getIfPresent(key)).isEqualTo("other");
        }
        for (long key = FIRST_OF_MADE; key < FIRST_OF_MADE + KEYS_OF_MADE; key++) {
            assertThat(cache.getIfPresent(key)).isEqualTo("made");
        }
    }

    @Test
    void split_withTooFewLines_leavesNoCopyAndAnotherVersion() {
        try (OffHeapCache<Long, String> cache = longs().hash((bytes, _) -> hash(bytes)).build()) {
            Store store = cache.store();
            for (long key = FIRST_OF_MADE; key < FIRST_OF_MADE + KEYS_OF_MADE; key++) {
                cache.put(key, "made");
            }
            long others = 0;
            while (store.index.buckets() < MADE) {
                cache.put(others++, "other");
            }
            assertThat(store.index.buckets()).isEqualTo(MADE);
            List<Long> taken = new ArrayList<>();
            while (store.index.spill.spare() > SPARE_LINES) {
                taken.add(store.index.spill.take());
            }
            long line = Index.line(MADE);
            store.lines.ensureUpper(Index.linesFor(MADE + 1));
            long before = store.lines.getAcquire(line, BucketLayout.LINK);

            for (int i = 0; i < 20; i++) {
                cache.put(others++, "other");
            }

            assertThat(store.index.buckets()).as("it was not split").isEqualTo(MADE);
            long after = store.lines.getAcquire(line, BucketLayout.LINK);
            assertThat(BucketLayout.taken(store.lines.getAcquire(line, 0))).isZero();
            assertThat(BucketLayout.link(after)).isZero();
            assertThat(BucketLayout.isSameVersion(after, before)).isFalse();
            assertThat(store.index.spill.spare()).isGreaterThan(SPARE_LINES - 20);
            assertAllThere(cache, others);
            CacheCheck.verify(store);

            taken.forEach(store.index.spill::give);
            cache.put(others++, "other");
            assertThat(store.index.buckets()).isGreaterThan(MADE);
            assertAllThere(cache, others);
            CacheCheck.verify(store);
        }
    }
}
