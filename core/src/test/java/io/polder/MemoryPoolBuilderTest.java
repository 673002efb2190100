package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.time.Duration;

/** What a pool can be built with, and what its limits do. */
class MemoryPoolBuilderTest {
    private static final long ROOT = 4 << 20;
    private static final long ADDRESS_SPACE = 1L << 47;

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, 1, ROOT - 1, ADDRESS_SPACE + 1, Long.MAX_VALUE})
    void build_limitOutOfRange_isRefused(long bytes) {
        String rule =
                "MaxBytes must be from one root chunk to the address space, 4194304 to"
                        + " 140737488355328 bytes: ";
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MemoryPool.builder().committedMaxBytes(bytes).build())
                .withMessage("committed" + rule + "committedMaxBytes=" + bytes);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MemoryPool.builder().reservedMaxBytes(bytes).build())
                .withMessage("reserved" + rule + "reservedMaxBytes=" + bytes);
    }

    @ParameterizedTest
    @ValueSource(longs = {ROOT, ROOT + 1, ADDRESS_SPACE})
    void build_limitInRange_isKept(long bytes) {
        try (MemoryPool pool =
                MemoryPool.builder().committedMaxBytes(bytes).reservedMaxBytes(bytes).build()) {
            long said = bytes == ADDRESS_SPACE ? -1 : bytes;
            assertThat(pool.stats().committedMaxBytes()).isEqualTo(said);
            assertThat(pool.stats().reservedMaxBytes()).isEqualTo(said);
            try (Arena arena = pool.openShared()) {
                assertThat(Paint.isZero(arena.allocate(100))).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT0.000999999S", "PT24H0.000000001S", "PT8760H"})
    void build_decayOutOfRange_isRefused(Duration decay) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MemoryPool.builder().decay(decay).build())
                .withMessage("decay must be from PT0.001S to PT24H: decay=" + decay);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0.001S", "PT24H"})
    void build_decayInRange_isFine(Duration decay) {
        MemoryPool.builder().decay(decay).build().close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\n"})
    void build_blankName_isRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MemoryPool.builder().name(name).build())
                .withMessage("a pool's name must not be blank: name=" + name);
    }

    @Test
    @SuppressWarnings("NullAway") // that is what is tested
    void build_null_isRefused() {
        MemoryPool.Builder builder = MemoryPool.builder();
        assertThatNullPointerException().isThrownBy(() -> builder.name(null)).withMessage("name");
        assertThatNullPointerException().isThrownBy(() -> builder.decay(null)).withMessage("decay");
    }

    @Test
    @SuppressWarnings("NullAway") // that is what is tested
    void null_isRefusedByName_andTakesNoNumberOfAHeap() {
        try (MemoryPool pool = MemoryPool.builder().build();
                FreeingArena arena = pool.openFreeing()) {
            assertThatNullPointerException()
                    .isThrownBy(() -> pool.openHeap(null))
                    .withMessage("options");
            assertThatNullPointerException()
                    .isThrownBy(() -> arena.free(null))
                    .withMessage("segment");
            try (RelocatingHeap heap = pool.openHeap()) {
                assertThat(heap.stats().number()).isEqualTo(1);
            }
        }
    }

    @Test
    void build_nothingSet_hasNoLimits() {
        try (MemoryPool pool = MemoryPool.builder().build()) {
            assertThat(pool.name()).isEqualTo("pool");
            assertThat(pool.stats().committedMaxBytes()).isEqualTo(-1);
            assertThat(pool.stats().reservedMaxBytes()).isEqualTo(-1);
            assertThat(pool.stats().reservedBytes()).isZero();
        }
    }

    @Test
    void slabs_ofAPool_areAsSet() {
        MemoryPool.Builder builder = MemoryPool.builder();
        try (MemoryPool pool = builder.slabs(64 << 10, 2).build();
                Arena arena = pool.openConfined()) {
            arena.allocate(100);
            assertThat(pool.stats().arenas().slabBytes()).isEqualTo(64 << 10);
            assertThat(pool.stats().arenas().slabsPerThread()).isEqualTo(2);
            assertThat(pool.stats().capacityBytes()).isEqualTo(64 << 10);
        }
        try (MemoryPool pool = builder.slabs(0, 0).build();
                Arena arena = pool.openConfined()) {
            arena.allocate(100);
            assertThat(pool.stats().arenas().pooled()).isFalse();
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.slabs(3000, 2))
                .withMessageStartingWith("bytes of a slab must be 0 (off) or a power of two")
                .withMessageEndingWith("value=3000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.slabs(4096, -1))
                .withMessageStartingWith("slabs of a thread must be 0 (off) or a power of two")
                .withMessageEndingWith("value=-1");
        assertThatIllegalArgumentException().isThrownBy(() -> builder.slabs(16 << 10, 65));
    }

    @Test
    void build_twice_makesTwoPools() {
        MemoryPool.Builder builder = MemoryPool.builder().name("twin").committedMaxBytes(ROOT);
        try (MemoryPool first = builder.build();
                MemoryPool second = builder.build();
                Arena arena = first.openShared()) {
            arena.allocate(1000);
            assertThat(second.name()).isEqualTo("twin");
            assertThat(second.stats().committedMaxBytes()).isEqualTo(ROOT);
            assertThat(second.stats().usedBytes()).isZero();
        }
    }

    @Test
    void allocate_overTheCommittedLimit_namesItAndByHowMuch() {
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(ROOT).build();
                Arena arena = pool.openShared()) {
            arena.allocate(ROOT - 4096);
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> arena.allocate(10_000))
                    .withMessage(
                            "committed memory must stay within its limit:"
                                    + " committedMaxBytes=4194304, committedBytes=4190208,"
                                    + " requestedBytes=12288, exceededByBytes=8192, pool=pool");
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> arena.allocate(2 * ROOT))
                    .withMessage(
                            "committed memory must stay within its limit:"
                                + " committedMaxBytes=4194304, committedBytes=4190208,"
                                + " requestedBytes=8388608, exceededByBytes=4194304, pool=pool");
            assertThat(Paint.isZero(arena.allocate(4096))).isTrue();
        }
    }

    @Test
    void allocate_overTheReservedLimit_namesItAndByHowMuch() {
        try (MemoryPool pool = MemoryPool.builder().reservedMaxBytes(2 * ROOT).build();
                Arena arena = pool.openShared()) {
            arena.allocate(ROOT);
            arena.allocate(ROOT);
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> arena.allocate(1))
                    .withMessage(
                            "reserved memory must stay within its limit: reservedMaxBytes=8388608,"
                                    + " reservedBytes=8388608, requestedBytes=4194304,"
                                    + " exceededByBytes=4194304, pool=pool");
        }
    }

    @Test
    void allocate_overALimit_byEveryKindOfArena_isOutOfMemory() {
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(ROOT).build();
                Arena most = pool.openShared()) {
            most.allocate(ROOT);
            for (Arena arena :
                    new Arena[] {
                        pool.openConfined(), pool.openShared(), pool.openSharedDeferred()
                    }) {
                for (long bytes : new long[] {1, 5000, 1 << 20, ROOT + 1}) {
                    assertThatExceptionOfType(OutOfMemoryError.class)
                            .isThrownBy(() -> arena.allocate(bytes))
                            .withMessageStartingWith("committed memory must stay within its limit");
                }
                arena.close();
            }
            assertThat(pool.stats().usedBytes()).isEqualTo(ROOT);
        }
    }
}
