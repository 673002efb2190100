package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.OtherThread;
import io.polder.memory.Providers;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Memory that goes back to the operating system: by itself, in the background, or at once. */
class PoolDecayTest {
    private static final long MIB = 1 << 20;

    private final MemoryPool pool =
            MemoryPool.builder().name("decaying").decay(Duration.ofMillis(20)).build();

    @BeforeEach
    void linux() {
        assertThat(Providers.choose().provider().canUncommit()).isTrue();
    }

    @AfterEach
    void close() {
        pool.close();
        Await.until("all is released", () -> pool.stats().reservedBytes() == 0);
    }

    private static MemorySegment fill(Arena arena, long bytes, long seed) {
        for (long done = 0; done < bytes; done += MIB) {
            arena.allocate(MIB).fill((byte) -1);
        }
        MemorySegment last = arena.allocate(1000);
        Paint.paint(last, seed);
        return last;
    }

    @Test
    void decay_ofClosedArenas_leavesNothingCommitted() {
        for (int i = 0; i < 10; i++) {
            try (Arena arena = pool.openShared()) {
                fill(arena, 3 * MIB, i);
            }
        }
        Await.until("all has decayed", () -> pool.stats().committedBytes() == 0);
        PoolStatistics stats = pool.stats();
        assertThat(stats.usedBytes()).isZero();
        assertThat(stats.uncommittedTotalBytes()).isEqualTo(stats.committedTotalBytes());
        assertThat(stats.uncommittedTotalBytes()).isGreaterThan(3 * MIB);
        assertThat(stats.reservedBytes()).as("address space stays").isPositive();
    }

    private static boolean isNothingFree(MemoryPool pool) {
        PoolStatistics now = pool.stats();
        return now.committedBytes() == now.usedBytes();
    }

    @Test
    void decay_besideAnOpenArena_leavesThatAlone() {
        try (Arena open = pool.openShared()) {
            MemorySegment kept = fill(open, 2 * MIB, 1);
            try (Arena closed = pool.openShared()) {
                fill(closed, 8 * MIB, 2);
            }
            Await.until(
                    "what was closed has decayed",
                    () -> pool.stats().committedBytes() <= pool.stats().usedBytes() + MIB);
            Await.until("nothing is free", () -> isNothingFree(pool));
            assertThat(pool.stats().usedBytes()).isGreaterThan(2 * MIB);
            assertThat(Paint.isPainted(kept, 1)).isTrue();
        }
    }

    @Test
    void decay_thenUsedAgain_readsAsZero() {
        for (int i = 0; i < 5; i++) {
            try (Arena arena = pool.openShared()) {
                assertThat(Paint.isZero(arena.allocate(MIB))).isTrue();
                fill(arena, MIB, i);
            }
            Await.until("all has decayed", () -> pool.stats().committedBytes() == 0);
        }
    }

    @Test
    void decay_ofDeferredArenas_closesThemFirst() {
        MemorySegment last = MemorySegment.NULL;
        for (int i = 0; i < 30; i++) {
            try (Arena arena = pool.openSharedDeferred()) {
                last = fill(arena, MIB, i);
            }
        }
        MemorySegment.Scope scope = last.scope();
        Await.until("it is closed for good", () -> !scope.isAlive());
        Await.until("no group is left", () -> pool.stats().arenas().deferredGroups() == 0);
        Await.until("all has decayed", () -> pool.stats().committedBytes() == 0);
        assertThat(pool.stats().arenas().deferredRetainedBytes()).isZero();
    }

    @Test
    void stats_deferredArenaWaitsForAnother_sayWhatItRetains() {
        try (Arena open = pool.openSharedDeferred()) {
            fill(open, 100, 1);
            try (Arena closed = pool.openSharedDeferred()) {
                fill(closed, 1000, 2);
            }
            assertThat(pool.stats().arenas().deferredGroups()).isEqualTo(1);
            assertThat(pool.stats().arenas().deferredRetainedBytes()).isBetween(1000L, 2000L);
        }
        Await.until("no group is left", () -> pool.stats().arenas().deferredGroups() == 0);
        assertThat(pool.stats().arenas().deferredRetainedBytes()).isZero();
    }

    @Test
    void decay_always_isDoneByADaemonThatIsNamed() {
        try (Arena arena = pool.openShared()) {
            fill(arena, MIB, 1);
        }
        List<Thread> threads =
                Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().equals("polder-background"))
                        .toList();
        assertThat(threads).as("one for all pools").hasSize(1);
        assertThat(threads.getFirst().isDaemon()).isTrue();
    }

    @Test
    void trim_ofFreeMemory_givesAllBackAtOnce() {
        try (MemoryPool slow = MemoryPool.builder().decay(Duration.ofHours(1)).build()) {
            try (Arena shared = slow.openShared();
                    Arena confined = slow.openConfined()) {
                fill(shared, 6 * MIB, 1);
                fill(confined, 2 * MIB, 2);
            }
            long committed = slow.stats().committedBytes();
            assertThat(committed).isGreaterThan(8 * MIB);
            assertThat(slow.trim()).as("slabs of this thread included").isEqualTo(committed);
            assertThat(slow.stats().committedBytes()).isZero();
            assertThat(slow.stats().usedBytes()).isZero();
            assertThat(slow.trim()).isZero();
        }
    }

    @Test
    void trim_besideOpenArenas_leavesThoseAlone() {
        try (Arena open = pool.openConfined()) {
            MemorySegment kept = fill(open, MIB, 1);
            pool.openShared().close();
            try (Arena closed = pool.openShared()) {
                fill(closed, 3 * MIB, 2);
            }
            trimUntil("nothing is free", () -> isNothingFree(pool));
            assertThat(Paint.isPainted(kept, 1)).isTrue();
        }
    }

    @Test
    void trim_afterThreadsHaveEnded_givesTheirSlabsBack() {
        for (int i = 0; i < 20; i++) {
            OtherThread.platform(
                    () -> {
                        try (Arena arena = pool.openConfined()) {
                            return arena.allocate(100).address();
                        }
                    });
        }
        OtherThread.virtual(
                () -> {
                    try (Arena arena = pool.openConfined()) {
                        return arena.allocate(100).address();
                    }
                });
        trimUntil("nothing is committed", () -> pool.stats().committedBytes() == 0);
        assertThat(pool.stats().usedBytes()).isZero();
    }

    /** Once is enough where the background is not giving the same memory back at that moment. */
    private void trimUntil(String what, BooleanSupplier condition) {
        Await.until(
                what,
                () -> {
                    long _ = pool.trim();
                    return condition.getAsBoolean();
                });
    }
}
