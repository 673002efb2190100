package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.Await;
import io.polder.Crew;
import io.polder.chunk.SpaceCheck;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Slots by themselves, with numbers in place of slabs. */
class SlabSlotsTest {
    private static final int COUNT = 8;

    private final SlabSlots slots = new SlabSlots(COUNT, COUNT);

    /** Each word lies two cache lines from the next, and all lie in the array. */
    @Test
    void index_ofAnySlot_isApart() {
        for (int slot = 0; slot < COUNT; slot++) {
            assertThat(SlabSlots.index(slot)).isBetween(15, slots.words.length - 16);
            assertThat(SlabSlots.index(slot + 1) - SlabSlots.index(slot)).isEqualTo(16);
        }
    }

    @Test
    void take_afterGive_findsTheSlabOnce() {
        assertThat(slots.takeCounted(3)).as("none was given").isZero();
        assertThat(slots.give(3, 4096)).isTrue();
        assertThat(slots.words[SlabSlots.index(3)]).isEqualTo(4096);
        assertThat(slots.takeCounted(3)).isEqualTo(4096);
        assertThat(slots.takeCounted(3)).as("it is taken").isZero();
    }

    @Test
    void give_slotFull_probesTheNextOnes() {
        for (int probe = 0; probe < SlabSlots.PROBES; probe++) {
            assertThat(slots.give(2, 64L << probe)).isTrue();
            assertThat(slots.words[SlabSlots.index(2 + probe)]).isEqualTo(64L << probe);
        }
        assertThat(slots.give(2, 4096)).isFalse();
        for (int probe = 0; probe < SlabSlots.PROBES; probe++) {
            assertThat(slots.takeCounted(2)).isEqualTo(64L << probe);
        }
        assertThat(slots.takeCounted(2)).isZero();
    }

    @Test
    void take_slabBeyondTheProbes_isNotFound() {
        assertThat(slots.give(6, 128)).isTrue();
        assertThat(slots.takeCounted(6 - SlabSlots.PROBES)).isZero();
        assertThat(slots.takeCounted(7 - SlabSlots.PROBES)).isEqualTo(128);
    }

    @Test
    void give_atTheEnd_wrapsAround() {
        assertThat(slots.give(7, 64)).isTrue();
        assertThat(slots.give(7, 128)).isTrue();
        assertThat(slots.words[SlabSlots.index(0)]).isEqualTo(128);
        assertThat(slots.takeCounted(7)).isEqualTo(64);
        assertThat(slots.takeCounted(7)).isEqualTo(128);
    }

    @ParameterizedTest
    @ValueSource(longs = {8, 1L << 32, Long.MAX_VALUE - 7, 1L << 62})
    void give_largeHint_isTakenModuloTheCount(long hint) {
        assertThat(slots.give(hint, 64)).isTrue();
        assertThat(slots.words[SlabSlots.index((int) (hint & 7))]).isEqualTo(64);
        assertThat(slots.takeCounted(hint)).isEqualTo(64);
    }

    @Test
    void ownOneMore_asManyAsSlots_isRefusedBeyond() {
        for (int i = 0; i < COUNT; i++) {
            assertThat(slots.ownOneMore()).isTrue();
        }
        assertThat(slots.ownOneMore()).isFalse();
        slots.ownOneLess();
        assertThat(slots.ownOneMore()).isTrue();
        assertThat(slots.ownOneMore()).isFalse();
    }

    @Test
    void drainTo_some_givesAllToTheSpace() {
        ChunkSource source = Slabs.source(4096);
        assertThat(slots.drainTo(source)).isZero();
        for (int slot = 0; slot < 5; slot++) {
            assertThat(slots.ownOneMore()).isTrue();
            assertThat(slots.give(slot, Slabs.takeSlab(source))).isTrue();
        }
        long taken = slots.takeCounted(0);
        assertThat(slots.drainTo(source)).isEqualTo(4);
        assertThat(source.space.statistics().usedBytes()).isEqualTo(4096);
        assertThat(slots.give(0, taken)).isTrue();
        assertThat(slots.drainTo(source)).isEqualTo(1);
        for (int slot = 0; slot < COUNT; slot++) {
            assertThat(slots.ownOneMore()).isTrue();
        }
        SpaceCheck.verifyAtRest(source.space);
    }

    /** The slab that could not be given is free where it was, and those behind it as well. */
    @Test
    void drainTo_cutOff_keepsWhatIsNotGiven() {
        ChunkSource source = Slabs.source(4096);
        long slab = Slabs.takeSlab(source);
        long noSlab = 1L << 40; // the space refuses it
        long behind = Slabs.takeSlab(source);
        assertThat(slots.give(1, slab)).isTrue();
        assertThat(slots.give(2, noSlab)).isTrue();
        assertThat(slots.give(3, behind)).isTrue();
        assertThatThrownBy(() -> slots.drainTo(source)).isNotNull();
        assertThat(slots.words[SlabSlots.index(1)]).isZero();
        assertThat(slots.words[SlabSlots.index(2)]).isEqualTo(noSlab);
        assertThat(slots.words[SlabSlots.index(3)]).isEqualTo(behind);
        assertThat(source.space.statistics().usedBytes()).isEqualTo(4096);
        slots.words[SlabSlots.index(2)] = 0;
        assertThat(slots.drainTo(source)).isEqualTo(1);
        SpaceCheck.verifyAtRest(source.space);
        assertThat(source.space.statistics().usedBytes()).isZero();
    }

    @Test
    void take_byThreadsAtOnce_givesASlabToOneOfThem() throws Exception {
        int threads = 4;
        assertThat(slots.give(0, 128)).isTrue(); // of those that are probed, two have a slab
        assertThat(slots.give(2, 64)).isTrue();
        AtomicIntegerArray holders = new AtomicIntegerArray(256);
        AtomicIntegerArray taken = new AtomicIntegerArray(2);
        CountDownLatch start = new CountDownLatch(threads);
        List<Future<Integer>> futures = new ArrayList<>();
        try (ExecutorService executor = Crew.of(threads)) {
            for (int i = 0; i < threads; i++) {
                futures.add(
                        executor.submit(
                                () -> {
                                    start.countDown();
                                    Await.open(start);
                                    return takenTwice(holders, taken, 200_000);
                                }));
            }
        }
        for (Future<Integer> future : futures) {
            assertThat(future.get()).isZero();
        }
        assertThat(taken.get(0)).as("with a slab").isGreaterThan(1000);
        assertThat(slots.takeCounted(0)).isNotZero();
        assertThat(slots.takeCounted(0)).isNotZero();
        assertThat(slots.takeCounted(0)).isZero();
    }

    /** How often a slab was taken that another thread had not yet given back. */
    private int takenTwice(AtomicIntegerArray holders, AtomicIntegerArray taken, int times) {
        int twice = 0;
        for (int i = 0; i < times; i++) {
            long hint = i & 1;
            long slab = slots.takeCounted(hint);
            taken.getAndIncrement(slab == 0 ? 1 : 0);
            if (slab != 0) {
                twice += holders.getAndIncrement((int) slab) == 0 ? 0 : 1;
                holders.getAndDecrement((int) slab);
                twice += slots.give(hint, slab) ? 0 : 1; // there is always an empty one
            }
        }
        return twice;
    }
}
