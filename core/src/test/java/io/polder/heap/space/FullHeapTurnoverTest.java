package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.heap.HeapOptions;
import io.polder.heap.HeapStatistics;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

/** A thread that allocates in a full heap waits for one region to be copied, not for a page. */
class FullHeapTurnoverTest extends HeapFixture {
    private static final long LIMIT = 64 * MIB;
    private static final int BYTES = 64;

    /** So much of the limit is taken by objects and their words. */
    private static final int PERCENT = 88;

    private static final int REPLACED = 300_000;

    /** Of the waits, in percent, for which no more was copied than one region has. */
    private static final int SHORT = 90;

    @Test
    void replacedAtRandom_copiesARegionAtATime() {
        long seed = Seed.get();
        Seed.naming(seed, () -> replace(new SplittableRandom(seed)));
    }

    private void replace(SplittableRandom random) {
        HeapOptions options = HeapOptions.DEFAULT.withMaxBytes(LIMIT).withCompactionShare(0);
        RelocatingHeap heap = heap(pages(1024 * MIB), HeapVariant.USUAL.settings(options));
        int count = (int) (LIMIT * PERCENT / 100 / (ObjectLayout.footprint(BYTES) + Long.BYTES));
        long[] handles = objects(heap, count, BYTES);
        long copied = 0;
        int waits = 0;
        int shortWaits = 0;
        for (int i = 0; i < REPLACED; i++) {
            int which = random.nextInt(count);
            heap.free(handles[which]);
            handles[which] = heap.tryAllocate(BYTES);
            assertThat(handles[which]).as("object %d of %s", i, heap).isNotZero();
            setWord(heap, handles[which], which);
            HeapStatistics now = heap.stats();
            if (now.evacuatedBytes() > copied) {
                waits++;
                shortWaits += now.evacuatedBytes() - copied <= RegionType.SMALL.bytes ? 1 : 0;
                copied = now.evacuatedBytes();
            }
        }
        assertThat(waits).isGreaterThan(20);
        assertThat(shortWaits).as("of %d waits", waits).isGreaterThan(waits * SHORT / 100);
        checkThinned(heap, handles, 1);
    }
}
