package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.chunk.SpaceCheck;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Slots by themselves, with numbers in place of slabs. */
class SlabSlotsTest {
    private static final int COUNT = 8;

    private final SlabSlots slots = new SlabSlots(COUNT);

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 3, 6, 100, Integer.MAX_VALUE})
    void create_countIsNoPowerOfTwo_isRefused(int count) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SlabSlots(count))
                .withMessage("the number of slots must be a power of two: count=" + count);
    }

    @Test
    void takeEmpty_fresh_isTheSlotOfTheHint() {
        assertThat(takeSlab(slots, 5)).isZero();
        assertThat(slots.takeEmpty(5)).isEqualTo(SlabSlots.index(5));
        assertThat(slots.words[SlabSlots.index(5)]).isEqualTo(SlabSlots.TAKEN);
    }

    /** Each word lies two cache lines from the next, and all lie in the array. */
    @Test
    void index_ofAnySlot_isApart() {
        for (int slot = 0; slot < COUNT; slot++) {
            assertThat(SlabSlots.index(slot)).isBetween(15, slots.words.length - 16);
            assertThat(SlabSlots.index(slot + 1) - SlabSlots.index(slot)).isEqualTo(16);
        }
    }

    @Test
    void takeSlab_afterGive_findsTheSlab() {
        put(slots, 3, 4096);
        assertThat(takeSlab(slots, 3)).as("it is taken").isZero();
        slots.give(SlabSlots.index(3), 4096);
        assertThat(slots.takeEmpty(3)).as("it has a slab").isEqualTo(SlabSlots.index(4));
        assertThat(takeSlab(slots, 3)).isEqualTo(4096);
        assertThat(slots.words[SlabSlots.index(3)]).isEqualTo(4096 | SlabSlots.TAKEN);
    }

    @Test
    void give_withoutSlab_leavesTheSlotEmpty() {
        assertThat(slots.takeEmpty(3)).isEqualTo(SlabSlots.index(3));
        slots.give(SlabSlots.index(3), 0);
        assertThat(takeSlab(slots, 3)).isZero();
        assertThat(slots.takeEmpty(3)).isEqualTo(SlabSlots.index(3));
    }

    /** What a caller does that found no slab to put there. */
    @Test
    void takeEmpty_storedZero_isEmptyAgain() {
        int at = slots.takeEmpty(3);
        slots.words[at] = 0;
        assertThat(slots.takeEmpty(3)).isEqualTo(at);
    }

    @Test
    void takeEmpty_slotTaken_probesTheNextOnes() {
        for (int probe = 0; probe < SlabSlots.PROBES; probe++) {
            assertThat(slots.takeEmpty(2)).isEqualTo(SlabSlots.index(2 + probe));
        }
        assertThat(slots.takeEmpty(2)).isEqualTo(SlabSlots.NONE);
        assertThat(takeSlab(slots, 2)).isZero();
        slots.give(SlabSlots.index(4), 128);
        assertThat(slots.takeEmpty(2)).as("it has a slab").isEqualTo(SlabSlots.NONE);
        assertThat(takeSlab(slots, 2)).isEqualTo(128);
        assertThat(takeSlab(slots, 2)).isZero();
    }

    @Test
    void takeSlab_slabBeyondTheProbes_isNotFound() {
        put(slots, 6, 128);
        slots.give(SlabSlots.index(6), 128);
        assertThat(takeSlab(slots, 6 - SlabSlots.PROBES)).isZero();
        assertThat(takeSlab(slots, 7 - SlabSlots.PROBES)).isEqualTo(128);
    }

    @Test
    void take_atTheEnd_wrapsAround() {
        assertThat(slots.takeEmpty(7)).isEqualTo(SlabSlots.index(7));
        assertThat(slots.takeEmpty(7)).isEqualTo(SlabSlots.index(0));
        assertThat(slots.takeEmpty(7)).isEqualTo(SlabSlots.index(1));
        slots.give(SlabSlots.index(1), 64);
        assertThat(takeSlab(slots, 7)).isEqualTo(64);
    }

    @ParameterizedTest
    @ValueSource(longs = {8, 1L << 32, Long.MAX_VALUE - 7, 1L << 62})
    void takeEmpty_largeHint_isTakenModuloTheCount(long hint) {
        assertThat(slots.takeEmpty(hint)).isEqualTo(SlabSlots.index((int) (hint & 7)));
    }

    @Test
    void takeSlab_oneSlot_isTakenOnce() {
        SlabSlots one = new SlabSlots(1);
        assertThat(one.takeEmpty(17)).isEqualTo(SlabSlots.index(0));
        assertThat(one.takeEmpty(17)).isEqualTo(SlabSlots.NONE);
        one.give(SlabSlots.index(0), 64);
        assertThat(takeSlab(one, 4)).isEqualTo(64);
        assertThat(takeSlab(one, 4)).isZero();
    }

    @Test
    void drainTo_someTaken_givesTheFreeOnes() {
        ChunkSource source = Slabs.source(4096);
        long taken = source.takeSlab();
        put(slots, 0, taken);
        for (int slot = 1; slot < 5; slot++) {
            put(slots, slot, source.takeSlab());
        }
        long[] before = slots.words.clone();
        assertThat(slots.drainTo(source)).as("all are taken").isZero();
        assertThat(slots.words).isEqualTo(before);
        for (int slot = 1; slot < 5; slot++) {
            slots.give(
                    SlabSlots.index(slot), slots.words[SlabSlots.index(slot)] & ~SlabSlots.TAKEN);
        }
        assertThat(slots.takeEmpty(5)).isEqualTo(SlabSlots.index(5));
        assertThat(slots.drainTo(source)).isEqualTo(4);
        assertThat(source.space().statistics().usedBytes()).isEqualTo(4096);
        assertThat(slots.words[SlabSlots.index(0)]).isEqualTo(taken | SlabSlots.TAKEN);
        assertThat(slots.words[SlabSlots.index(5)]).isEqualTo(SlabSlots.TAKEN);
        for (int slot = 1; slot < 5; slot++) {
            assertThat(slots.takeEmpty(slot)).isEqualTo(SlabSlots.index(slot));
        }
        assertThat(slots.drainTo(source)).isZero();
        SpaceCheck.verifyAtRest(source.space());
    }

    /** The slab that could not be given is free where it was, and those behind it as well. */
    @Test
    void drainTo_cutOff_keepsWhatIsNotGiven() {
        ChunkSource source = Slabs.source(4096);
        long slab = source.takeSlab();
        long noSlab = 1L << 40; // the space refuses it
        long behind = source.takeSlab();
        slots.give(SlabSlots.index(1), slab);
        slots.give(SlabSlots.index(2), noSlab);
        slots.give(SlabSlots.index(3), behind);
        assertThatThrownBy(() -> slots.drainTo(source)).isNotNull();
        assertThat(slots.words[SlabSlots.index(1)]).isZero();
        assertThat(slots.words[SlabSlots.index(2)]).isEqualTo(noSlab);
        assertThat(slots.words[SlabSlots.index(3)]).isEqualTo(behind);
        assertThat(source.space().statistics().usedBytes()).isEqualTo(4096);
        slots.give(SlabSlots.index(2), 0);
        assertThat(slots.drainTo(source)).isEqualTo(1);
        SpaceCheck.verifyAtRest(source.space());
        assertThat(source.space().statistics().usedBytes()).isZero();
    }

    @Test
    void take_byThreadsAtOnce_givesASlotToOneOfThem() throws Exception {
        int threads = 4;
        put(slots, 0, 64); // of those that are probed, two have a slab
        slots.give(SlabSlots.index(0), 64);
        put(slots, 2, 128);
        slots.give(SlabSlots.index(2), 128);
        AtomicIntegerArray holders = new AtomicIntegerArray(slots.words.length);
        AtomicIntegerArray taken = new AtomicIntegerArray(2);
        CountDownLatch start = new CountDownLatch(threads);
        List<Future<Integer>> futures = new ArrayList<>();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            for (int i = 0; i < threads; i++) {
                futures.add(
                        executor.submit(
                                () -> {
                                    start.countDown();
                                    start.await();
                                    return takenTwice(holders, taken, 200_000);
                                }));
            }
        }
        for (Future<Integer> future : futures) {
            assertThat(future.get()).isZero();
        }
        assertThat(taken.get(0)).as("with a slab").isGreaterThan(1000);
        assertThat(taken.get(1)).as("without").isGreaterThan(1000);
    }

    /** How often a slot was taken that another thread had not yet given back. */
    private int takenTwice(AtomicIntegerArray holders, AtomicIntegerArray taken, int times) {
        int twice = 0;
        for (int i = 0; i < times; i++) {
            long hint = i & 1;
            int at = i % 4 < 2 ? slots.take(hint) : SlabSlots.NONE;
            long slab = slots.words[at] & ~SlabSlots.TAKEN;
            if (slab == 0) {
                at = slots.takeEmpty(hint);
            }
            if (at != SlabSlots.NONE) {
                taken.getAndIncrement(slab == 0 ? 1 : 0);
                twice += holders.getAndIncrement(at) == 0 ? 0 : 1;
                holders.getAndDecrement(at);
                slots.give(at, slab);
            }
        }
        return twice;
    }

    /** Does what {@link SlabCache#more} does where there is no slab: leaves the slot taken. */
    private static void put(SlabSlots slots, int slot, long slab) {
        assertThat(slots.takeEmpty(slot)).isEqualTo(SlabSlots.index(slot));
        slots.words[SlabSlots.index(slot)] = slab | SlabSlots.TAKEN;
    }

    /** The slab of the slot that is taken; 0 if there is none. */
    private static long takeSlab(SlabSlots slots, long hint) {
        return slots.words[slots.take(hint)] & ~SlabSlots.TAKEN;
    }
}
