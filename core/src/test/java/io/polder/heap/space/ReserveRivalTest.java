package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.heap.RelocatingHeap;
import io.polder.memory.MemoryExhaustedException;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Others of a full pool take each page as soon as a heap gives it back. */
class ReserveRivalTest extends HeapFixture {
    private static final long PAGE = PageSpace.GRANULE_BYTES;
    private static final int ROUNDS = 60;

    private static void take(PageSpace pages, List<Extent> taken) {
        try {
            taken.add(pages.take(PAGE, false));
        } catch (MemoryExhaustedException _) {
            Thread.onSpinWait();
        }
    }

    private static void fill(RelocatingHeap heap, List<Long> handles, SplittableRandom random) {
        int most = 1 << (6 + random.nextInt(10));
        long next = heap.tryAllocate(random.nextInt(most));
        while (next != 0) {
            handles.add(next);
            next = heap.tryAllocate(random.nextInt(most));
        }
    }

    private static void freeSome(RelocatingHeap heap, List<Long> handles, SplittableRandom random) {
        double part = 0.3 + random.nextDouble() / 2;
        handles.removeIf(
                handle -> {
                    boolean frees = random.nextDouble() < part;
                    if (frees) {
                        heap.free(handle);
                    }
                    return frees;
                });
    }

    @Test
    void reserve_isNeverTheirs() {
        long seed = Seed.get();
        Seed.naming(seed, () -> reserveIsNeverTheirs(new SplittableRandom(seed)));
    }

    private void reserveIsNeverTheirs(SplittableRandom random) {
        RelocatingHeap heap = heap(HeapVariant.USUAL, (6 + random.nextInt(8)) * PAGE);
        PageSpace pages = pagesOf(heap);
        List<Long> handles = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            fill(heap, handles, random);
            assertThat(space(heap).pages.reservedBytes).as("full: %d", round).isEqualTo(PAGE);
            freeSome(heap, handles, random);
            List<Extent> taken = new ArrayList<>();
            try (Workers workers = Workers.platform()) {
                Thread _ = workers.repeat(() -> take(pages, taken));
                long _ = heap.compact();
            }
            assertThat(space(heap).pages.missingBytes()).as("round %d", round).isZero();
            taken.forEach(page -> pages.give(page, PAGE));
        }
    }
}
