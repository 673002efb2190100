package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What the index takes of an entry, beside the lines that it keeps ready. */
class IndexBytesTest extends CacheFixture {
    /** With header and handle, and what aligns the next object, that is less than 36. */
    private static final double BYTES_MAX = 17;

    private static final int ENTRIES = 100_000;

    private static double bytesOfAnEntry(OffHeapCache<Long, String> cache) {
        Index index = cache.store().index;
        long lines = Index.linesFor(index.buckets()) + index.spill.taken();
        return (double) lines * Lines.LINE_BYTES / cache.size();
    }

    @Test
    void put_atAnySizeOfTheIndex_takesSeventeenBytesAtMost() {
        try (OffHeapCache<Long, String> cache = longs().hash(Hash.seeded(1)).build()) {
            for (long key = 0; key < ENTRIES; key++) {
                cache.put(key, "a");
                if (key > ENTRIES / 4 && key % 1000 == 0) {
                    assertThat(bytesOfAnEntry(cache)).as("%d", key).isLessThan(BYTES_MAX);
                }
            }
            CacheCheck.verify(cache.store());
        }
    }
}
