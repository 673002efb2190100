package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Slots by themselves, with numbers in place of slabs. */
class SlabSlotsTest {
    private final SlabSlots slots = new SlabSlots(8);

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 3, 6, 100, Integer.MAX_VALUE})
    void create_countIsNoPowerOfTwo_isRefused(int count) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SlabSlots(count))
                .withMessage("the number of slots must be a power of two: count=" + count);
    }

    @Test
    void take_fresh_isTheSlotOfTheHintWithoutASlab() {
        assertThat(slots.take(5)).isEqualTo(5);
        assertThat(slots.slab(5)).isZero();
    }

    @Test
    void take_afterGive_findsTheSlab() {
        int slot = slots.take(3);
        slots.bind(slot, 4096);
        assertThat(slots.slab(slot)).isEqualTo(4096);
        slots.give(slot, 4096);
        assertThat(slots.take(3)).isEqualTo(3);
        assertThat(slots.slab(3)).isEqualTo(4096);
    }

    @Test
    void give_withoutSlab_leavesTheSlotEmpty() {
        int slot = slots.take(3);
        slots.give(slot, 0);
        assertThat(slots.take(3)).isEqualTo(3);
        assertThat(slots.slab(3)).isZero();
    }

    @Test
    void take_slotTaken_probesTheNextOnes() {
        for (int probe = 0; probe < SlabSlots.PROBES; probe++) {
            assertThat(slots.take(2)).isEqualTo(2 + probe);
        }
        assertThat(slots.take(2)).isEqualTo(-1);
        slots.give(4, 128);
        assertThat(slots.take(2)).isEqualTo(4);
        assertThat(slots.slab(4)).isEqualTo(128);
    }

    @Test
    void take_atTheEnd_wrapsAround() {
        assertThat(slots.take(7)).isEqualTo(7);
        assertThat(slots.take(7)).isZero();
        assertThat(slots.take(7)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {8, 1L << 32, Long.MAX_VALUE - 7, 1L << 62})
    void take_largeHint_isTakenModuloTheCount(long hint) {
        assertThat(slots.take(hint)).isEqualTo((int) (hint & 7));
    }

    @Test
    void take_oneSlot_isTakenOnce() {
        SlabSlots one = new SlabSlots(1);
        assertThat(one.take(17)).isZero();
        assertThat(one.take(17)).isEqualTo(-1);
        one.give(0, 64);
        assertThat(one.take(4)).isZero();
    }

    @Test
    void take_byThreadsAtOnce_givesASlotToOneOfThem() throws Exception {
        int threads = 4;
        long[] holders = new long[8];
        CountDownLatch start = new CountDownLatch(threads);
        List<Future<Long>> futures = new ArrayList<>();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            for (int i = 0; i < threads; i++) {
                futures.add(
                        executor.submit(
                                () -> {
                                    start.countDown();
                                    start.await();
                                    return increment(holders, 20_000);
                                }));
            }
        }
        long taken = 0;
        for (Future<Long> future : futures) {
            taken += future.get();
        }
        long counted = 0;
        for (long holder : holders) {
            counted += holder;
        }
        assertThat(counted).isEqualTo(taken).isPositive();
    }

    /** Adds one to a plain number for each slot taken: lost if two threads had it at once. */
    private long increment(long[] holders, int times) {
        long taken = 0;
        for (int i = 0; i < times; i++) {
            int slot = slots.take(i & 1);
            if (slot >= 0) {
                holders[slot]++;
                taken++;
                slots.give(slot, 0);
            }
        }
        return taken;
    }
}
