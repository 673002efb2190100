package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.arena.OtherThread;
import io.polder.arena.Slabs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A recycling arena as users have it: on a pool, with its lifetime and its thread. */
class RecyclingArenaTest {
    @RegisterExtension final Slabs fixture = new Slabs();

    @Test
    void free_thenAllocate_comesBackZero() {
        try (RecyclingArena arena = open()) {
            MemorySegment first = arena.allocate(100, 8);
            Paint.paint(first, 1);
            arena.free(first);
            MemorySegment again = arena.allocate(100, 8);
            assertThat(again.address()).isEqualTo(first.address());
            assertThat(Paint.isZero(again)).isTrue();
            arena.verify();
        }
    }

    @Test
    void allocate_byEveryMethodOfTheInterface_canBeFreed() {
        try (RecyclingArena arena = open()) {
            MemorySegment[] segments = {
                arena.allocate(24),
                arena.allocate(ValueLayout.JAVA_LONG),
                arena.allocate(ValueLayout.JAVA_INT, 10),
                arena.allocateFrom("sea level"),
                arena.allocateFrom(ValueLayout.JAVA_LONG, 1, 2, 3),
                arena.allocateFrom(ValueLayout.JAVA_DOUBLE, 1.5)
            };
            assertThat(segments[3].getString(0)).isEqualTo("sea level");
            assertThat(arena.allocatedCount()).isEqualTo(segments.length);
            for (MemorySegment each : segments) {
                arena.free(each);
            }
            arena.verify();
            assertThat(arena.allocatedCount()).isZero();
            assertThat(arena.allocatedBytes()).isZero();
            assertThat(arena.freeBytes()).isPositive();
        }
    }

    @Test
    void close_segmentsAllocatedAndFreed_endsTheLifetimeOfAll() {
        RecyclingArena arena = open();
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
        MemoryPool pool = WatchedPool.create(fixture, 4096, 2);
        try (RecyclingArena arena = pool.openRecycling()) {
            for (int i = 0; i < 100; i++) {
                MemorySegment segment = arena.allocate(i * 50L, 8);
                Paint.paint(segment, i);
                if (i % 3 == 0) {
                    arena.free(segment);
                }
            }
        }
        try (RecyclingArena arena = pool.openRecycling()) {
            assertThat(Paint.isZero(arena.allocate(4000))).isTrue();
        }
    }

    @Test
    void anything_inAnotherThread_isRefused() {
        try (RecyclingArena arena = open()) {
            MemorySegment segment = arena.allocate(8);
            assertThat(OtherThread.thrownOnPlatform(() -> arena.free(segment)))
                    .isInstanceOf(WrongThreadException.class);
            assertThat(OtherThread.thrownOnPlatform(() -> arena.allocate(8)))
                    .isInstanceOf(WrongThreadException.class);
            assertThat(OtherThread.thrownOnVirtual(arena::close))
                    .isInstanceOf(WrongThreadException.class);
            assertThat(arena.allocatedCount()).isOne();
            arena.free(segment);
        }
    }

    @Test
    void close_duringADowncall_isRefusedAndChangesNothing() {
        RecyclingArena arena = open();
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
        arena.verify();
        arena.close();
    }

    @Test
    void free_foreign_isRefused() {
        try (RecyclingArena arena = open();
                RecyclingArena other = open()) {
            MemorySegment segment = other.allocate(8);
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> arena.free(segment))
                    .withMessageStartingWith(
                            "a segment must come from the arena that frees it: segment=");
            other.free(segment);
        }
    }

    private RecyclingArena open() {
        return WatchedPool.create(fixture, 4096, 2).openRecycling();
    }
}
