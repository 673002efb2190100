package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.arena.OtherThread;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** A freeing arena as users have it: on a pool, with its lifetime and its thread. */
class FreeingArenaTest {
    private final MemoryPool pool = MemoryPool.builder().build();

    @AfterEach
    void nothingIsLeft() {
        pool.trim();
        assertThat(pool.stats().usedBytes()).isZero();
        pool.close();
    }

    @Test
    void free_thenAllocate_comesBackZero() {
        try (FreeingArena arena = open()) {
            MemorySegment first = arena.allocate(100, 8);
            Paint.paint(first, 1);
            arena.free(first);
            MemorySegment again = arena.allocate(100, 8);
            assertThat(again.address()).isEqualTo(first.address());
            assertThat(Paint.isZero(again)).isTrue();
            PoolCheck.verify(arena);
        }
    }

    @Test
    void allocate_byEveryMethodOfTheInterface_canBeFreed() {
        try (FreeingArena arena = open()) {
            MemorySegment[] segments = {
                arena.allocate(24),
                arena.allocate(ValueLayout.JAVA_LONG),
                arena.allocate(ValueLayout.JAVA_INT, 10),
                arena.allocateFrom("sea level"),
                arena.allocateFrom(ValueLayout.JAVA_LONG, 1, 2, 3),
                arena.allocateFrom(ValueLayout.JAVA_DOUBLE, 1.5)
            };
            assertThat(segments[3].getString(0)).isEqualTo("sea level");
            assertThat(arena.live.count).isEqualTo(segments.length);
            for (MemorySegment each : segments) {
                arena.free(each);
            }
            PoolCheck.verify(arena);
            assertThat(arena.live.count).isZero();
            assertThat(arena.allocatedBytes()).isZero();
        }
    }

    @Test
    void close_segmentsAllocatedAndFreed_endsTheLifetimeOfAll() {
        FreeingArena arena = open();
        MemorySegment freed = arena.allocate(8);
        MemorySegment allocated = arena.allocate(8);
        arena.free(freed);
        assertThat(freed.scope().isAlive()).isTrue();
        assertThat(freed.scope()).isEqualTo(arena.scope());
        arena.close();
        assertThat(arena.scope().isAlive()).isFalse();
        assertThat(freed.scope().isAlive()).isFalse();
        assertThat(OtherThread.thrownBy(() -> allocated.fill((byte) 1)))
                .isInstanceOf(IllegalStateException.class);
        assertThat(OtherThread.thrownBy(() -> arena.free(allocated)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Already closed");
        assertThat(OtherThread.thrownBy(arena::close)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void close_afterUse_leavesNothingBehindInThePool() {
        try (FreeingArena arena = pool.openFreeing()) {
            for (int i = 0; i < 100; i++) {
                MemorySegment segment = arena.allocate(i * 50L, 8);
                Paint.paint(segment, i);
                if (i % 3 == 0) {
                    arena.free(segment);
                }
            }
        }
        try (FreeingArena arena = pool.openFreeing()) {
            assertThat(Paint.isZero(arena.allocate(4000))).isTrue();
        }
    }

    @Test
    @SuppressWarnings("restricted") // the only way to register an action
    void close_actionThrows_rethrowsAndGivesAllBack() {
        for (Throwable thrown : new Throwable[] {new RuntimeException(), new Error()}) {
            Arena arena = new WrappedFreeing(open());
            MemorySegment segment = arena.allocate(100_000);
            MemorySegment _ =
                    segment.reinterpret(
                            arena,
                            _ -> {
                                if (thrown instanceof RuntimeException exception) {
                                    throw exception;
                                }
                                throw (Error) thrown;
                            });
            assertThat(OtherThread.thrownBy(arena::close)).isSameAs(thrown);
            assertThat(segment.scope().isAlive()).isFalse();
            assertThat(pool.stats().blocks().usedCount()).isZero();
        }
    }

    /** Actions are given the memory, so nobody else has it before the last one has run. */
    @Test
    @SuppressWarnings("restricted") // the only way to register an action
    void close_inAnActionOfItsOwn_isRefusedAndGivesNothingBack() {
        Arena arena = new WrappedFreeing(open());
        MemorySegment segment = arena.allocate(100_000);
        List<String> refusals = new ArrayList<>();
        MemorySegment _ =
                segment.reinterpret(
                        arena,
                        _ -> {
                            Throwable refusal = OtherThread.thrownBy(arena::close);
                            refusals.add(String.valueOf(refusal));
                            assertThat(pool.stats().blocks().usedCount()).isOne();
                        });
        arena.close();
        assertThat(refusals).containsExactly("java.lang.IllegalStateException: Already closed");
        assertThat(pool.stats().blocks().usedCount()).isZero();
    }

    @Test
    void anything_inAnotherThread_isRefused() {
        try (FreeingArena arena = open()) {
            MemorySegment segment = arena.allocate(8);
            assertThat(OtherThread.thrownOnPlatform(() -> arena.free(segment)))
                    .isInstanceOf(WrongThreadException.class);
            assertThat(OtherThread.thrownOnPlatform(() -> arena.allocate(8)))
                    .isInstanceOf(WrongThreadException.class);
            assertThat(OtherThread.thrownOnVirtual(arena::close))
                    .isInstanceOf(WrongThreadException.class);
            assertThat(arena.live.count).isOne();
            arena.free(segment);
        }
    }

    @Test
    void close_duringADowncall_isRefusedAndChangesNothing() {
        FreeingArena arena = open();
        MemorySegment ints = arena.allocateFrom(ValueLayout.JAVA_INT, 3, 1, 2);
        Downcalls.sort(
                ints,
                (left, right) -> {
                    assertThat(OtherThread.thrownBy(arena::close))
                            .isInstanceOf(IllegalStateException.class);
                    return Downcalls.compareInts(left, right);
                });
        assertThat(ints.toArray(ValueLayout.JAVA_INT)).containsExactly(1, 2, 3);
        arena.free(ints);
        PoolCheck.verify(arena);
        arena.close();
    }

    @Test
    void free_foreign_isRefused() {
        try (FreeingArena arena = open();
                FreeingArena other = open()) {
            MemorySegment segment = other.allocate(8);
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> arena.free(segment))
                    .withMessageStartingWith(
                            "a segment must come from the arena that frees it: segment=");
            other.free(segment);
        }
    }

    @Test
    void free_partOfASegment_isRefused() {
        try (FreeingArena arena = open()) {
            MemorySegment segment = arena.allocate(40, 1);
            String asAllocated = "a segment must be freed as it was allocated: address=0x";
            assertRefused(arena, segment.asSlice(0, 39), asAllocated);
            assertRefused(arena, segment.asSlice(0, 0), ", byteSize=0, allocatedByteSize=40");
            assertRefused(
                    arena,
                    segment.asSlice(16),
                    "a segment must begin where the arena allocated one that was not freed since:"
                            + " address=0x"
                            + Long.toHexString(segment.address() + 16)
                            + ", byteSize=24");
            arena.free(segment.asReadOnly());
        }
    }

    @Test
    void free_twice_isRefused() {
        try (FreeingArena arena = open()) {
            MemorySegment stale = arena.allocate(60, 1);
            arena.free(stale);
            assertRefused(arena, stale, "one that was not freed since: address=0x");
            MemorySegment fresh = arena.allocate(50, 1); // of the same size class
            assertThat(fresh.address()).isEqualTo(stale.address());
            assertRefused(arena, stale, ", byteSize=60, allocatedByteSize=50");
            arena.free(fresh);
        }
    }

    @Test
    void free_foreignMemory_isRefused() {
        try (FreeingArena arena = open();
                Arena other = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(40, 1);
            String rule = "a segment must come from the arena that frees it: segment=";
            assertRefused(arena, other.allocate(40), rule);
            assertRefused(arena, MemorySegment.ofArray(new byte[40]), rule);
            assertRefused(arena, MemorySegment.NULL, rule);
            assertRefused(arena, MemorySegment.ofAddress(segment.address()), rule);
        }
    }

    @Test
    void allocate_badArguments_isRefused() {
        try (FreeingArena arena = open()) {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> arena.allocate(-1, 1))
                    .withMessage("The provided allocation size is negative: -1");
            for (long alignment : new long[] {0, -1, 3, 24, Long.MIN_VALUE}) {
                assertThatExceptionOfType(IllegalArgumentException.class)
                        .isThrownBy(() -> arena.allocate(8, alignment))
                        .withMessage("Invalid alignment constraint : " + alignment);
            }
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> arena.allocate(8, 4L << 20));
            assertThat(arena.live.count).isZero();
        }
    }

    private static void assertRefused(FreeingArena arena, MemorySegment segment, String message) {
        long count = arena.live.count;
        long bytes = arena.allocatedBytes();
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> arena.free(segment))
                .withMessageContaining(message);
        assertThat(arena.live.count).isEqualTo(count);
        assertThat(arena.allocatedBytes()).isEqualTo(bytes);
        PoolCheck.verify(arena);
    }

    private FreeingArena open() {
        return pool.openFreeing();
    }
}
