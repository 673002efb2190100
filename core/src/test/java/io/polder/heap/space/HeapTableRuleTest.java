package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.arena.Seed;
import io.polder.arena.TestScale;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;
import io.polder.memory.Exhaustion;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What words of handles took in a full heap of small objects can be had again, as what these took
 * themselves: by objects of any size, and by another heap.
 */
class HeapTableRuleTest extends HeapFixture {
    private static final int ROUNDS = TestScale.of(4, 16);

    /** So much of what was freed at least, with headers and words of handles, in percent. */
    private static final int AGAIN = 75;

    /** What an object takes beside its bytes. */
    private static final long OVERHEAD = 2 * Long.BYTES;

    private static final class Full {
        final RelocatingHeap heap;
        final long[] handles;
        int count;

        Full(RelocatingHeap heap, long size, long bytes) {
            this.heap = heap;
            this.handles = new long[(int) (bytes / Long.BYTES)];
            for (long handle; (handle = heap.tryAllocate(size)) != 0; count++) {
                handles[count] = handle;
            }
        }

        /** Frees a share of the objects; returns how much they took. */
        long free(double share, SplittableRandom random) {
            long freed = 0;
            for (int i = 0; i < count; i++) {
                if (random.nextDouble() < share) {
                    freed += heap.size(handles[i]) + OVERHEAD;
                    heap.free(handles[i]);
                }
            }
            return freed;
        }
    }

    private static HeapSettings settings(double compactionShare, long maxBytes) {
        return HeapVariant.USUAL
                .settings(
                        HeapOptions.DEFAULT
                                .withCompactionShare(compactionShare)
                                .withMaxBytes(maxBytes))
                .withReserve(true);
    }

    @Test
    void freedSmallObjects_leaveRoomForLargerOnes() {
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        Seed.naming(
                seed,
                () -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        oneRound(random);
                    }
                });
    }

    private void oneRound(SplittableRandom random) {
        long bytes = (24L + random.nextInt(40)) * MIB;
        boolean own = random.nextBoolean();
        double compactionShare = random.nextInt(2) * 0.25;
        long size = random.nextInt(33);
        long next = 100L + random.nextInt(20_000);
        double share = 0.6 + 0.4 * random.nextDouble();
        PageSpace pages = pages(own ? 1024 * MIB : bytes);
        RelocatingHeap heap = heap(pages, settings(compactionShare, own ? bytes : Long.MAX_VALUE));
        Full full = new Full(heap, size, bytes);
        long freed = full.free(share, random);
        long again = 0;
        while (again < freed && heap.tryAllocate(next) != 0) {
            again += next + OVERHEAD;
        }
        assertThat(again + next + 4 * MIB)
                .as(
                        "own=%s, limit=%d, compaction=%s, size=%d, next=%d, share=%s, freed=%d, %s",
                        own, bytes, compactionShare, size, next, share, freed, heap.stats())
                .isGreaterThanOrEqualTo(freed * AGAIN / 100);
        HeapCheck.verifyAtRest(space(heap));
        heap.close();
        assertThat(pages.trim()).isNotNegative();
    }

    /** Fewer in each leaf than are worth another pass, as long as there is memory. */
    @Test
    void freedHereAndThere_canBeAllocatedAgain() {
        RelocatingHeap heap = heap(pages(1024 * MIB), settings(0, 24 * MIB));
        Full full = new Full(heap, 8, 24 * MIB);
        int freed = 0;
        for (int i = 0; i < full.count; i++) {
            if (i % HandleTable.LEAF_SLOTS < HandleLeaves.REUSED_FROM - 1) {
                heap.free(full.handles[i]);
                freed++;
            }
        }
        int again = 0;
        while (again < freed && heap.tryAllocate(8) != 0) {
            again++;
        }
        assertThat(again).isGreaterThan(freed * 95 / 100);
    }

    /** As a pool does that is full; who asks for little does not wait for all of it. */
    @Test
    void freedSmallObjects_leaveRoomForOthersOfThePool() {
        PageSpace pages = pages(48 * MIB);
        RelocatingHeap heap = heap(pages, settings(0, Long.MAX_VALUE));
        Full full = new Full(heap, 0, 48 * MIB);
        long _ = full.free(1, new SplittableRandom(1));
        assertThat(space(heap).makeRoom(MIB, true)).isTrue();
        Await.until(() -> heap.stats().tableBytes() <= 2 * MIB);
        // The compaction for the last object may go on while all are freed: then there is a region
        // that it copied to, of dead objects now, beside that of new objects, and so a reserve.
        assertThat(heap.stats().regionBytes())
                .as("%s", space(heap).regions.list())
                .isLessThanOrEqualTo(6 * MIB);
        assertThat(space(heap).makeRoom(48 * MIB, true)).isTrue();
        assertThat(heap.stats().regionBytes()).as("%s", space(heap).regions.list()).isZero();
    }

    /** What there is was for others just then, and nobody uses the heap any more. */
    @Test
    void freedSmallObjects_noPageForASmallerTable_hasOneLater() {
        AtomicBoolean isForOthers = new AtomicBoolean();
        Exhaustion exhaustion =
                new Exhaustion() {
                    @Override
                    public boolean isForOthers() {
                        return isForOthers.get();
                    }
                };
        RelocatingHeap heap = heap(pages(1024 * MIB), settings(1, Long.MAX_VALUE), exhaustion);
        long[] handles = new long[1_000_000];
        for (int i = 0; i < handles.length; i++) {
            handles[i] = heap.allocate(8);
        }
        long tableBytes = heap.stats().tableBytes();
        isForOthers.set(true);
        for (long handle : handles) {
            heap.free(handle);
        }
        Compactor compactor = space(heap).compactor;
        Await.until(() -> heap.stats().regionBytes() <= 4 * MIB && compactor.task.isAsleep());
        assertThat(heap.stats().tableBytes()).isEqualTo(tableBytes);
        isForOthers.set(false);
        Await.until(() -> heap.stats().tableBytes() < tableBytes);
    }
}
