package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.api.Test;

/** What is put counts, whoever puts it. */
class BudgetTest extends CacheFixture {
    private static final long MIB = 1 << 20;

    /** Virtual threads, which live for one put each, as where each request has one. */
    @Test
    void puts_ofManyThreadsThatPutLittle_haveTheHeapMeasured() throws InterruptedException {
        Lines lines = new Lines(pool);
        try (RelocatingHeap heap = pool.openHeap()) {
            Budget budget =
                    new Budget(
                            new Counts(),
                            lines,
                            heap,
                            Long.MAX_VALUE,
                            OffHeapCacheBuilder.MAXIMUM_BYTES_MIN,
                            Long.MAX_VALUE);
            for (int i = 0; i < 24; i++) {
                long _ = heap.allocate(MIB);
            }
            assertThat(budget.isLate()).isFalse();
            long most = MIB + Places.COUNT * Budget.PART_BYTES;
            for (long put = 0; put <= most; put += 1000) {
                Thread.ofVirtual().start(() -> budget.put(1000)).join();
            }
            assertThat(budget.isLate()).isTrue();
        } finally {
            lines.close();
        }
    }

    /** What was evicted and waits for compaction does not have more evicted. */
    @Test
    void deadEntries_moreThanCompactionLeaves_doNotCountTwice() {
        Lines lines = new Lines(pool);
        HeapOptions atRest = HeapOptions.DEFAULT.withCompactionShare(0);
        try (RelocatingHeap heap = pool.openHeap(atRest)) {
            Counts counts = new Counts();
            Budget budget =
                    new Budget(counts, lines, heap, Long.MAX_VALUE, 64 * MIB, Long.MAX_VALUE);
            long kept = 0;
            for (int i = 0; i < 7200; i++) {
                long handle = heap.allocate(10_000);
                if (i % 3 == 0) {
                    heap.free(handle);
                } else {
                    kept += Entries.footprint(10_000);
                }
            }
            counts.added(kept);
            budget.measure();
            assertThat(budget.isOver(4 * MIB, 1)).isFalse();
            assertThat(budget.isOver(64 * MIB - kept, 1)).isTrue();
        } finally {
            lines.close();
        }
    }

    /** So it is where others have begun to measure before, and end after that. */
    @Test
    void setBytesMax_afterSlackWasMeasuredUnderMore_leavesMostOfTheLimitToEntries() {
        Lines lines = new Lines(pool);
        try (RelocatingHeap heap = pool.openHeap()) {
            Budget budget =
                    new Budget(
                            new Counts(), lines, heap, Long.MAX_VALUE, 512 * MIB, Long.MAX_VALUE);
            for (int i = 0; i < 32; i++) {
                long _ = heap.allocate(MIB);
            }
            budget.measure();
            assertThat(budget.isOver(400 * MIB, 1)).isFalse();
            assertThat(budget.isOver(481 * MIB, 1)).isTrue();
            budget.setBytesMax(16 * MIB);
            assertThat(budget.isOver(12 * MIB, 1)).isFalse();
            assertThat(budget.isOver(12 * MIB + 1, 1)).isTrue();
        } finally {
            lines.close();
        }
    }
}
