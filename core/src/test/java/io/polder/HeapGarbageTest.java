package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.arena.TestScale;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** What is dead in a heap is not in the way of anything else in its pool. */
class HeapGarbageTest {
    private static final int ROUNDS = TestScale.of(12, 80);
    private static final long MIB = 1 << 20;

    /**
     * What is left out of half of what was freed: a page to copy to, and what lies beside objects
     * that do not fit.
     */
    private static final long SLACK_BYTES = 4 * MIB;

    /** So many objects fit the pool at least: a few of which half are dead need not be dense. */
    private static final int OBJECTS_MIN = 64;

    private enum Way {
        CONFINED,
        SHARED,
        BLOCK,
        PAGE,
        OTHER_HEAP
    }

    @Test
    void allocate_poolFullOfAHeapsGarbage_hasItCompacted() throws Exception {
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

    private static void oneRound(SplittableRandom random) {
        long limit = (32 + random.nextInt(100)) * MIB;
        long size = 200 + random.nextLong(limit / OBJECTS_MIN - 200);
        double share = 0.25 + 0.4 * random.nextDouble();
        Way way = Way.values()[random.nextInt(Way.values().length)];
        HeapOptions options = HeapOptions.DEFAULT.withCompactionShare(random.nextInt(2) * 0.25);
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(limit).build();
                RelocatingHeap heap = pool.openHeap(options);
                RelocatingHeap other = pool.openHeap(options)) {
            List<Long> kept = new ArrayList<>();
            long freed = 0;
            for (long handle; (handle = heap.tryAllocate(size)) != 0; ) {
                kept.add(handle);
            }
            for (int i = kept.size() - 1; i >= 0; i--) {
                if (random.nextDouble() < share) {
                    heap.free(kept.remove(i));
                    freed += size;
                }
            }
            while (freed / 2 <= SLACK_BYTES) { // of less nothing need be there for others
                heap.free(kept.remove(random.nextInt(kept.size())));
                freed += size;
            }
            long wanted = freed / 2 - SLACK_BYTES;
            allocate(pool, other, way, wanted);
            assertThat(kept).allMatch(heap::isLive);
        } catch (OutOfMemoryError refused) {
            throw new AssertionError(
                    way + ", limit=" + limit + ", size=" + size + ", share=" + share, refused);
        }
    }

    private static void allocate(MemoryPool pool, RelocatingHeap other, Way way, long bytes) {
        switch (way) {
            case BLOCK -> pool.blocks().freeAddress(pool.blocks().allocateAddress(bytes));
            case PAGE -> pool.pages().allocate(bytes).close();
            case OTHER_HEAP -> other.free(other.allocate(bytes));
            default -> {
                try (Arena arena = way == Way.SHARED ? pool.openShared() : pool.openConfined()) {
                    arena.allocate(bytes, 8);
                }
            }
        }
    }
}
